import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { RawConnection } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { apiError, responseOf, success } from '../support/contract/response.js';
import { openBeside, whileLocked } from '../support/fault-injection.js';
import { startService, useNewService } from '../support/servers/service.js';

const rexText = '{"name":"Rex","categoryId":7}';
const miaText = '{"name":"Mia","categoryId":7}';
const retentionMs = 24 * 60 * 60 * 1000;
const removal = Date.parse('2030-12-05T00:00:00Z');

const reused = apiError(
  422,
  'idempotency_key_reused',
  'This Idempotency-Key was already used with a different body. Repeat the original body, or use a new key.',
);
const inFlight = apiError(
  409,
  'idempotency_key_in_flight',
  'A request with this Idempotency-Key is in progress. Retry after 1 s.',
  { 'retry-after': '1' },
);

/** Resolves with the first `count` responses. */
function firstOf<T>(responses: readonly Promise<T>[], count: number): Promise<T[]> {
  const first: T[] = [];
  return new Promise((resolve, reject) => {
    const add = (response: T) => {
      if (first.push(response) === count) resolve(first);
    };
    for (const response of responses) response.then(add, reject);
  });
}

describe('createPet with an Idempotency-Key', () => {
  const service = useNewService();

  const post = async (key: string, text = rexText, token = service.token): Promise<Response> =>
    request(service, token).post('/v1/pets').type('json').set('Idempotency-Key', key).send(text);
  const created = (id: number, headers: Readonly<Record<string, string>> = {}) => {
    const rex = { id, name: 'Rex', categoryId: 7, status: 'available' };
    return success(201, rex, { location: `${service.baseUrl}/pets/${String(id)}`, ...headers });
  };
  const replayed = (id: number) => created(id, { 'idempotent-replayed': 'true' });
  const expectStored = async (count: number) => {
    const { body } = (await request(service).get('/v1/pets')) as { body: unknown[] };
    expect(body).to.have.lengthOf(count);
  };
  const createKey = () =>
    service.apiKeyService.create({ name: 'other', plan: 'pro', limits: undefined, expiresAt: undefined });
  /** A whole request under the key `one`, as sent. */
  const creation = () => {
    const lines = ['POST /v1/pets HTTP/1.1', 'Host: pets.example', `Authorization: Bearer ${service.token}`];
    const body = [
      'Content-Type: application/json',
      `Content-Length: ${String(rexText.length)}`,
      'Idempotency-Key: one',
    ];
    return [...lines, ...body, '', rexText].join('\r\n');
  };
  it('returns the first response again, marked as replayed, and creates one pet', async () => {
    const first = await post('one');
    expect(responseOf(first)).to.deep.equal(created(1));
    for (let time = 0; time < 3; time += 1) {
      const again = await post('one');
      expect(responseOf(again)).to.deep.equal(replayed(1));
      expect(again.text).to.equal(first.text);
    }
    await expectStored(1);
  });

  it('replays names and category ids exactly', async () => {
    const text = '{"name":"Zo\u00eb \\ud83d\\udc15 \\" \u2028","categoryId":9223372036854775807,"status":"sold"}';
    const first = await post('one', text);
    const again = await post('one', text);
    expect(again.headers).to.include({ 'idempotent-replayed': 'true' });
    expect(again.text).to.equal(first.text).and.to.contain('"categoryId":9223372036854775807,');
  });

  it('counts each request, and returns its rate-limit headers', async () => {
    const responses = [await post('one'), await post('one'), await post('one', miaText)];
    const [first = NaN, ...others] = responses.map((response) => Number(response.get('x-ratelimit-remaining')));
    expect(others).to.deep.equal([first - 1, first - 2]);
  });

  it('creates a pet for each key, and for each request without a key', async () => {
    for (const [index, key] of ['one', 'two', 'ONE'].entries()) {
      expect(responseOf(await post(key))).to.deep.equal(created(index + 1));
    }
    expect(responseOf(await request(service).post('/v1/pets').type('json').send(rexText))).to.deep.equal(created(4));
  });

  it('treats the bare and the quoted form as the same key', async () => {
    await post('a"b\\c');
    expect(responseOf(await post('"a\\"b\\\\c"'))).to.deep.equal(replayed(1));
    await post('"two"');
    expect(responseOf(await post('two'))).to.deep.equal(replayed(2));
  });

  it('returns 422 for other bytes, even if they describe the same pet', async () => {
    await post('one');
    const others = [
      miaText,
      `${rexText} `,
      '{"categoryId":7,"name":"Rex"}',
      '{"name":"Rex","categoryId":7,"status":"available"}',
    ];
    for (const text of others) expect(responseOf(await post('one', text)), text).to.deep.equal(reused);
    expect(responseOf(await post('one'))).to.deep.equal(replayed(1));
    await expectStored(1);
  });

  it('returns 409 while the first request is in progress, whatever its body, and its result afterwards', async () => {
    const bodies = [rexText, rexText, rexText, miaText, miaText];
    const responses = bodies.map((text) => post('one', text));
    const rejected = await whileLocked(service, () => firstOf(responses, 4));
    expect(rejected.map(responseOf)).to.deep.equal([inFlight, inFlight, inFlight, inFlight]);
    const all = await Promise.all(responses);
    const winner = all.findIndex(({ status }) => status === 201);
    expect(responseOf(await post('one', bodies[winner])).headers).to.include({ 'idempotent-replayed': 'true' });
    await expectStored(1);
  });

  it('replays to concurrent requests, also while no pet can be stored', async () => {
    await post('one');
    const responses = await whileLocked(service, () => Promise.all(Array.from({ length: 5 }, () => post('one'))));
    expect(responses.map(responseOf)).to.deep.equal(Array.from({ length: 5 }, () => replayed(1)));
  });

  it('replays to a client that disconnected before its response', async () => {
    const isRead = new Promise((resolve) =>
      service.server.once('request', (incoming) => incoming.once('end', resolve)),
    );
    const connection = await RawConnection.open(service);
    connection.send(creation());
    await isRead;
    connection.end();
    let response = await post('one');
    while (response.status === 409) response = await post('one');
    expect(responseOf(response)).to.deep.equal(replayed(1));
    await expectStored(1);
  });

  it('stores a key for exactly 24 hours', async () => {
    await post('one');
    service.clock.now += retentionMs - 1;
    expect(responseOf(await post('one'))).to.deep.equal(replayed(1));
    service.clock.now += 1;
    expect((await post('one', miaText)).body).to.deep.equal({ id: 2, name: 'Mia', categoryId: 7, status: 'available' });
    expect(responseOf(await post('one'))).to.deep.equal(reused);
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

  it('stores a key across a restart', async () => {
    await post('one');
    await service.close();
    const { directory, token } = service;
    Object.assign(service, await startService({ DATA_DIR: directory }));
    expect(responseOf(await post('one', rexText, token))).to.deep.equal(replayed(1));
  });

  it('shares a key across a rotation of the API key, and not with other quotas', async () => {
    const [mine, others] = [await createKey(), await createKey()];
    await post('one', rexText, mine.token);
    const successor = await service.apiKeyService.rotate(mine.key.id, 1000);
    expect(responseOf(await post('one', rexText, successor.token))).to.deep.equal(replayed(1));
    expect(responseOf(await post('one', rexText, others.token))).to.deep.equal(created(2));
    expect(responseOf(await post('one', miaText, successor.token))).to.deep.equal(reused);
  });

  it('replays without Location after getPet is removed', async () => {
    service.clock.now = removal - 1;
    expect(responseOf(await post('one'))).to.deep.equal(created(1));
    service.clock.now = removal;
    const { location: _location, ...headers } = replayed(1).headers;
    expect(responseOf(await post('one'))).to.deep.equal({ ...replayed(1), headers });
  });

  it('stores only a 201', async () => {
    const send = (token: string | null, type: string, text: string) =>
      request(service, token).post('/v1/pets').set('Content-Type', type).set('Idempotency-Key', 'one').send(text);
    const { token } = await service.apiKeyService.create({
      name: 'small',
      plan: 'enterprise',
      limits: { requestsPerMinute: 1, requestsPerDay: 100 },
      expiresAt: undefined,
    });
    await request(service, token).get('/v1/pets').expect(200);
    await send(token, 'application/json', rexText).expect(429);
    await send(null, 'application/json', rexText).expect(401);
    await send(service.token, 'text/plain', rexText).expect(415);
    await send(service.token, 'application/json', rexText.padEnd(65_537)).expect(413);
    await send(service.token, 'application/json', '{"name":"Rex"').expect(400);
    await send(service.token, 'application/json', '{"name":"Rex"}').expect(400);
    await whileLocked(service, () => send(service.token, 'application/json', rexText).expect(503));
    expect(responseOf(await post('one'))).to.deep.equal(created(1));
  });

  it('ignores the header in other operations', async () => {
    for (const target of ['/v1/pets', '/v1/pets?limit=1']) {
      await request(service).get(target).set('Idempotency-Key', 'not a key').expect(200, []);
    }
  });
});
