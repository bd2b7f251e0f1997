import { inspect } from 'node:util';
import { expect } from 'chai';
import { createPetstoreClient, type PetstoreClientOptions, PetstoreError } from '#src/client/petstore-client.js';
import { errorOf } from '../support/error-of.js';
import { FakeTime } from '../support/fake-clock.js';
import { errorReply, reply, ScriptedServer } from '../support/servers/scripted-server.js';
import { closeService, startOfTests, startService } from '../support/servers/service.js';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

describe('the responses of a client', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await ScriptedServer.start();
  });
  afterEach(() => server.close());

  const clientOf = (options: Partial<PetstoreClientOptions> = {}) =>
    createPetstoreClient({ baseUrl: server.baseUrl, apiKey: 'pets_live_x', ...options }, new FakeTime());
  const unhandled = () => expect.fail('A rejection was not handled.');

  it('include the status, the headers, the request id and the rate limit', async () => {
    const service = await startService();
    const client = createPetstoreClient({ baseUrl: service.baseUrl, apiKey: service.token });
    const created = await client.createPet({ name: 'Rex', categoryId: 7 }).withResponse();
    expect(created.data).to.deep.equal(rex);
    expect(created.response.status).to.equal(201);
    expect(created.response.headers.get('Location')).to.equal(`${service.baseUrl}/pets/1`);
    expect(created.requestId)
      .to.equal(created.response.headers.get('X-Request-Id'))
      .and.match(/^[0-9a-f-]{36}$/);
    // In a tie, the window that resets later: that of the day.
    const resetsAt = new Date(startOfTests + 86_400_000);
    expect(created.rateLimit).to.deep.equal({ limit: 1_000_000, remaining: 999_999, resetsAt });
    const listed = await client.listPets({ limit: 1 }).withResponse();
    expect(listed.data).to.deep.equal({ pets: [rex], next: undefined });
    expect(listed.rateLimit?.remaining).to.equal(999_998);
    const { data, rateLimit } = await client.request('get', '/pets');
    expect(data).to.deep.equal([rex]);
    expect(rateLimit?.remaining).to.equal(999_997);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- Only this operation returns 404.
    const failure = await errorOf(client.getPet(2));
    expect(failure)
      .to.be.instanceOf(PetstoreError)
      .with.deep.property('rateLimit', { ...rateLimit, remaining: 999_996 });
    expect((failure as PetstoreError).response?.headers.get('Sunset')).to.equal('Thu, 05 Dec 2030 00:00:00 GMT');
    await closeService(service);
  });

  it('are received once, with or without withResponse', async () => {
    server.script = [reply(200, [rex])];
    const call = clientOf().listPets();
    const [page, { data }] = await Promise.all([call, call.withResponse()]);
    expect(data).to.deep.equal(page);
    expect(server.received).to.have.lengthOf(1);
  });

  it('are errors, which withResponse reports as well', async () => {
    server.script = [errorReply(404, 'pet_not_found', { 'x-request-id': 'abc' })];
    process.on('unhandledRejection', unhandled);
    const failure = await errorOf(clientOf().listPets().withResponse());
    expect(failure).to.include({ code: 'pet_not_found', status: 404, requestId: 'abc', rateLimit: undefined });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    // The response stays out of logs.
    expect(inspect(failure)).not.to.contain('Response');
    expect(Object.keys(failure as object)).not.to.contain('response');
  });

  it('have no rate limit if a header is missing or invalid', async () => {
    for (const limit of ['', '-1', 'x', '1.5']) {
      const headers = { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': '59', 'x-ratelimit-reset': '1795176060' };
      server.script = [reply(200, [], headers)];
      expect((await clientOf().listPets().withResponse()).rateLimit).to.equal(undefined);
    }
  });

  it('are rejected beyond a limit on their size, without reading the rest', async () => {
    const body = JSON.stringify([rex]);
    server.script = [reply(200, body), (response) => response.writeHead(200).write(`${body} `)];
    const client = clientOf({ maxResponseBytes: body.length });
    expect((await client.listPets()).pets).to.deep.equal([rex]);
    const failure = await errorOf(client.listPets());
    expect(failure).to.include({ code: 'unexpected_response', status: 200 });
    expect(server.received).to.have.lengthOf(2);
  });

  it('count towards the limit in bytes, and are decoded as UTF-8 across chunks', async () => {
    const name = 'Ünïcödé 🐕'.repeat(100);
    const bytes = Buffer.from(JSON.stringify([{ ...rex, name }]));
    server.script = [
      (response) => {
        response.writeHead(200);
        for (const byte of bytes) response.write(Buffer.of(byte));
        response.end();
      },
    ];
    expect((await clientOf({ maxResponseBytes: bytes.length }).listPets()).pets).to.deep.equal([{ ...rex, name }]);
    const failure = await errorOf(clientOf({ maxResponseBytes: bytes.length - 1 }).listPets());
    expect(failure).to.include({ code: 'unexpected_response' });
  });

  it('are retried if an error response is too large', async () => {
    server.script = [reply(503, 'x'.repeat(101), { 'retry-after': '7' }), reply(200, [])];
    const time = new FakeTime();
    const options = { baseUrl: server.baseUrl, apiKey: 'pets_live_x', maxResponseBytes: 100 };
    expect((await createPetstoreClient(options, time).listPets()).pets).to.deep.equal([]);
    expect(time.waits).to.deep.equal([7]);
  });

  it('end the iteration with an error if a cursor is repeated', async () => {
    const link = (cursor: string) => ({ link: `</v1/pets?cursor=${cursor}>; rel="next"` });
    const received = async (cursor?: string) => {
      const ids: number[] = [];
      const pets = clientOf().pets({ ...(cursor !== undefined && { cursor }) });
      const failure = await errorOf(
        (async () => {
          for await (const { id } of pets) ids.push(id);
        })(),
      );
      expect(failure).to.include({ code: 'unexpected_response' }).and.have.nested.property('cause.message');
      return ids;
    };
    const pages = ['a', 'b', 'c', 'a'].map((cursor, index) => reply(200, [{ ...rex, id: index + 1 }], link(cursor)));
    server.script = pages;
    expect(await received()).to.deep.equal([1, 2, 3, 4]);
    server.received.length = 0;
    server.script = [reply(200, [rex], link('a'))];
    expect(await received('a')).to.deep.equal([1]);
    expect(server.received).to.have.lengthOf(1);
  });
});
