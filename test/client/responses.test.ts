import { inspect } from 'node:util';
import { expect } from 'chai';
import { createClient } from '#src/client/create-client.js';
import { createPetstoreClient, type PetstoreClientOptions, PetstoreError } from '#src/client/petstore-client.js';
import { errorOf } from '../support/error-of.js';
import { FakeTime } from '../support/fake-clock.js';
import { errorReply, reply, ScriptedServer } from '../support/servers/scripted-server.js';
import { startService } from '../support/servers/service.js';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

describe('the responses of a client', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await ScriptedServer.start();
  });
  afterEach(() => server.close());

  const clientOf = (options: Partial<PetstoreClientOptions> = {}) =>
    createClient({ baseUrl: server.baseUrl, apiKey: 'pets_live_x', ...options }, new FakeTime());
  const unhandled = () => expect.fail('A rejection was not handled.');

  it('include the status, the headers and the request id', async () => {
    const service = await startService();
    const client = createPetstoreClient({ baseUrl: service.baseUrl, apiKey: service.token });
    const created = await client.createPet({ name: 'Rex', categoryId: 7 }).withResponse();
    expect(created.data).to.deep.equal(rex);
    expect(created.response.status).to.equal(201);
    expect(created.response.headers.get('Location')).to.equal(`${service.baseUrl}/pets/1`);
    expect(created.requestId)
      .to.equal(created.response.headers.get('X-Request-Id'))
      .and.match(/^[0-9a-f-]{36}$/);
    const listed = await client.listPets({ limit: 1 }).withResponse();
    expect(listed.data).to.deep.equal({ pets: [rex], next: undefined });
    const { data, response } = await client.request('get', '/pets');
    expect(data).to.deep.equal([rex]);
    expect(response.headers.get('X-RateLimit-Remaining')).to.equal('999997');
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- Only this operation returns 404.
    const failure = await errorOf(client.getPet(2));
    expect(failure).to.be.instanceOf(PetstoreError);
    expect((failure as PetstoreError).response?.headers.get('Sunset')).to.equal('Thu, 05 Dec 2030 00:00:00 GMT');
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
    expect(failure).to.include({ code: 'pet_not_found', status: 404, requestId: 'abc' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    // The response stays out of logs.
    expect(inspect(failure)).not.to.contain('Response');
    expect(Object.keys(failure as object)).not.to.contain('response');
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
