import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { apiError, responseOf, success } from '@contract-server/test-support/contract/response.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { openBeside, whileLocked } from '@contract-server/test-support/fault-injection.js';
import { issueKey } from '@contract-server/test-support/issue-key.js';
import { eventually } from '@contract-server/test-support/redis/redis-server.js';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { IdempotentCreation } from '#src/pets/idempotent-creation.js';
import { request } from '../support/clients/request.js';
import { postPet, rex, rexText } from '../support/pets.js';
import { useNewService } from '../support/servers/service.js';

const miaText = '{"name":"Mia","categoryId":7}';
const retentionMs = 24 * 60 * 60 * 1000;
const removal = Date.parse('2030-12-05T00:00:00Z');

const wasUsed =
  'This Idempotency-Key was already used with a different body. Repeat the original body, or use a new key.';
const reused = apiError(422, 'idempotency_key_reused', wasUsed);
const inProgress = 'A request with this Idempotency-Key is in progress. Retry after 1 s.';
const inFlight = apiError(409, 'idempotency_key_in_flight', inProgress, { 'retry-after': '1' });

describe('createPet with an Idempotency-Key', () => {
  const service = useNewService();

  it('is a defect without a quota, because all such keys would have one scope', async () => {
    const creations = new IdempotentCreation(service.stores.application.pets, retentionMs, Date.now);
    const metadata = { quotaId: undefined, bodyBytes: Buffer.from(rexText) };
    expect(await errorOf(creations.create(rex, 'one', metadata))).to.be.instanceOf(TypeError);
    await expectStored(0);
    expect(await creations.create(rex, undefined, metadata)).to.deep.equal({ kind: 'created', id: 1 });
  });

  const post = async (key: string, text?: string, token?: string): Promise<Response> =>
    postPet(service, text, token).set('Idempotency-Key', key);
  const send = async (key: string, text?: string, token?: string) => responseOf(await post(key, text, token));
  const created = (id: number, headers: Readonly<Record<string, string>> = {}) =>
    success(201, { id, ...rex }, { location: `${service.baseUrl}/pets/${String(id)}`, ...headers });
  const replayed = (id: number) => created(id, { 'idempotent-replayed': 'true' });
  const expectStored = async (count: number) =>
    expect((await request(service).get('/v1/pets')).body).to.have.lengthOf(count);

  it('returns the same status and body, marked as replayed, and creates one pet', async () => {
    const text = '{"name":"Zo\u00eb \\ud83d\\udc15 \\" \u2028","categoryId":9223372036854775807,"status":"sold"}';
    const first = await post('one', text);
    for (let time = 0; time < 3; time += 1) {
      const again = await post('one', text);
      expect(again.text).to.equal(first.text).and.to.contain('"categoryId":9223372036854775807,');
      const { headers } = responseOf(first);
      expect(responseOf(again).headers).to.deep.equal({ ...headers, 'idempotent-replayed': 'true' });
    }
    await expectStored(1);
  });

  it('counts each request, and returns its rate-limit headers', async () => {
    const responses = [await post('one'), await post('one'), await post('one', miaText)];
    const [first = NaN, ...others] = responses.map((response) => Number(response.get('x-ratelimit-remaining')));
    expect(others).to.deep.equal([first - 1, first - 2]);
  });

  it('treats only the bare and the quoted form of a key as the same', async () => {
    for (const [index, [key, sameKey]] of [
      ['a"b\\c', '"a\\"b\\\\c"'],
      ['"two"', 'two'],
      ['a"b\\\\c', '"a\\"b\\\\\\\\c"'],
      ['"\\"three\\""', '"\\"three\\""'],
      ['three', '"three"'],
      ['a"', '"a\\""'],
    ].entries()) {
      expect(await send(key ?? ''), key).to.deep.equal(created(index + 1));
      expect(await send(sameKey ?? ''), sameKey).to.deep.equal(replayed(index + 1));
    }
  });

  it('returns 422 for other bytes, even if they describe the same pet', async () => {
    await post('one');
    const same = ['{"categoryId":7,"name":"Rex"}', '{"name":"Rex","categoryId":7,"status":"available"}'];
    for (const text of [miaText, `${rexText} `, ...same]) expect(await send('one', text), text).to.deep.equal(reused);
    expect(await send('one')).to.deep.equal(replayed(1));
    await expectStored(1);
  });

  it('returns 409 while the first request is in progress, whatever its body, and its result afterwards', async () => {
    const { token } = await issueKey(service, 'free');
    const bodies = [rexText, rexText, rexText, miaText, miaText];
    const responses = bodies.map((text) => post('one', text));
    const ofOtherQuota = post('one', rexText, token);
    const rejected: Response[] = [];
    for (const response of responses) void response.then((settled) => rejected.push(settled));
    await whileLocked(service, () => eventually('four were rejected', () => rejected.length === 4, 5000));
    expect(rejected.map(responseOf)).to.deep.equal([inFlight, inFlight, inFlight, inFlight]);
    const all = await Promise.all(responses);
    const winner = all.findIndex(({ status }) => status === 201);
    expect((await send('one', bodies[winner])).headers).to.include({ 'idempotent-replayed': 'true' });
    expect((await ofOtherQuota).headers)
      .to.have.property('location')
      .and.not.to.equal(all[winner]?.get('location'));
    await expectStored(2);
  });

  it('replays to concurrent requests, also while no pet can be stored', async () => {
    await post('one');
    const responses = await whileLocked(service, () => Promise.all(Array.from({ length: 5 }, () => send('one'))));
    expect(responses).to.deep.equal(Array.from({ length: 5 }, () => replayed(1)));
  });

  it('replays to a client that disconnected before its response', async () => {
    const isRead = new Promise((resolve) =>
      service.server.once('request', (incoming) => incoming.once('end', resolve)),
    );
    const connection = await RawConnection.open(service);
    const head = ['POST /v1/pets HTTP/1.1', 'Host: pets.example', `Authorization: Bearer ${service.token}`];
    const length = `Content-Length: ${String(rexText.length)}`;
    const lines = [...head, 'Content-Type: application/json', length, 'Idempotency-Key: one', '', rexText];
    connection.send(lines.join('\r\n'));
    await isRead;
    connection.end();
    let response = await post('one');
    while (response.status === 409) response = await post('one');
    expect(responseOf(response)).to.deep.equal(replayed(1));
    await expectStored(1);
  });

  it('stores a key for exactly 24 hours, also if the clock is set back', async () => {
    await post('one');
    service.clock.now += retentionMs - 1;
    expect(await send('one')).to.deep.equal(replayed(1));
    service.clock.now -= 10 * retentionMs;
    expect(await send('one')).to.deep.equal(replayed(1));
    service.clock.now += 10 * retentionMs + 1;
    expect((await send('one', miaText)).body).to.deep.equal({ id: 2, ...rex, name: 'Mia' });
    expect(await send('one')).to.deep.equal(reused);
  });

  it('deletes expired keys within 5 s', async () => {
    await post('one');
    service.clock.now += retentionMs;
    const beside = openBeside(service);
    const rows = beside.prepare('SELECT count(*) FROM idempotency_keys').pluck();
    expect(rows.get()).to.equal(1);
    const startedAt = performance.now();
    while (rows.get() !== 0) await delay(50);
    expect(performance.now() - startedAt).to.be.below(5000);
    beside.close();
  });

  it('shares a key across a rotation of the API key, and not with other quotas', async () => {
    const [mine, others] = [await issueKey(service, 'free'), await issueKey(service, 'free')];
    await post('one', rexText, mine.token);
    const successor = (await service.stores.apiKeys?.service.rotate(mine.key.id, 1000)) ?? expect.fail('no keys');
    expect(await send('one', rexText, successor.token)).to.deep.equal(replayed(1));
    expect(await send('one', rexText, others.token)).to.deep.equal(created(2));
    expect(await send('one', miaText, successor.token)).to.deep.equal(reused);
  });

  it('replays without Location after getPet is removed', async () => {
    service.clock.now = removal - 1;
    expect(await send('one')).to.deep.equal(created(1));
    service.clock.now = removal;
    expect(await send('one')).to.deep.equal(success(201, { id: 1, ...rex }, { 'idempotent-replayed': 'true' }));
  });

  it('stores only a 201', async () => {
    const { token } = await issueKey(service, [1, 1000]);
    await request(service, token).get('/v1/pets').expect(200);
    for (const [text, status] of [
      ['{"name":"Rex"', 400],
      ['{"name":"Rex"}', 400],
      [rexText.padEnd(65_537), 413],
    ] as const) {
      expect(await post('one', text), text).to.include({ status });
    }
    await postPet(service).type('text').set('Idempotency-Key', 'one').expect(415);
    expect(await post('one', rexText, token)).to.include({ status: 429 });
    await request(service, null).post('/v1/pets').set('Idempotency-Key', 'one').send(rex).expect(401);
    await whileLocked(service, async () => expect((await post('one')).status).to.equal(503));
    expect(await send('one')).to.deep.equal(created(1));
  });

  it('ignores the header in other operations', async () => {
    await request(service).get('/v1/pets?limit=1').set('Idempotency-Key', 'not a key').expect(200, []);
  });
});
