import { errorOf } from '@contract-server/test-support/error-of.js';
import { FakeTime } from '@contract-server/test-support/fake-clock.js';
import {
  errorReply,
  noReply,
  reply,
  useScriptedServer,
} from '@contract-server/test-support/servers/scripted-server.js';
import { expect } from 'chai';
import { createClient } from '#src/client/create-client.js';
import { createPetstoreClient, type Pet, type PetstoreClientOptions } from '#src/client/petstore-client.js';
import { clientOf } from '../support/clients/client-of.js';
import { document } from '../support/contract/document.js';
import { useNewService } from '../support/servers/service.js';

const widest = [-(2n ** 63n), -(2n ** 53n), -(2 ** 53 - 1), 0, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];

async function all(pets: AsyncIterable<Pet>): Promise<Pet[]> {
  const list: Pet[] = [];
  for await (const pet of pets) list.push(pet);
  return list;
}

describe('the client', () => {
  const service = useNewService();

  const clientWith = (options: Partial<PetstoreClientOptions> = {}) =>
    createClient({ baseUrl: service.baseUrl, apiKey: service.token, ...options }, new FakeTime());

  it('creates, gets and lists a pet, with the status, the headers and the request id of each response', async () => {
    const client = clientWith();
    const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
    expect(await client.createPet({ name: 'Rex', categoryId: 7 })).to.deep.equal(rex);
    expect(await client.listPets()).to.deep.equal({ pets: [rex], next: undefined });
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- It has to work until the day of its removal.
    const found = await client.getPet(1).withResponse();
    expect(found.data).to.deep.equal(rex);
    expect(found.response.status).to.equal(200);
    expect(found.response.headers.get('Sunset')).to.equal('Thu, 05 Dec 2030 00:00:00 GMT');
    expect(found.requestId)
      .to.equal(found.response.headers.get('X-Request-Id'))
      .and.match(/^[0-9a-f-]{36}$/);
  });

  it('sends and receives exact integers: a number up to 2^53 − 1, a bigint beyond', async () => {
    const client = clientWith();
    for (const categoryId of widest)
      expect((await client.createPet({ name: 'Rex', categoryId })).categoryId).to.equal(categoryId);
    expect((await all(client.pets())).map(({ categoryId }) => categoryId)).to.deep.equal(widest);
  });

  it('iterates over all pages, with filters, and requests no page before it is needed', async () => {
    const targets: string[] = [];
    const counting: typeof fetch = (input, init) => {
      targets.push((input as Request).url);
      return fetch(input, init);
    };
    const client = clientWith({ fetch: counting });
    for (let index = 1; index <= 7; index += 1)
      await client.createPet({ name: 'Rex', categoryId: index, status: index % 2 === 0 ? 'sold' : 'pending' });
    const ids = async (pets: AsyncIterable<Pet>) => (await all(pets)).map(({ id }) => id);
    expect(await ids(client.pets({ limit: 2 }))).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    expect(await ids(client.pets({ limit: 1, status: 'sold' }))).to.deep.equal([2, 4, 6]);
    expect(await ids(client.pets({ status: 'available' }))).to.deep.equal([]);
    const { next: cursor = '' } = await client.listPets({ limit: 3 });
    expect(await ids(client.pets({ limit: 3, cursor }))).to.deep.equal([4, 5, 6, 7]);
    targets.length = 0;
    expect((await client.pets({ limit: 1 }).next()).value).to.include({ id: 1 });
    expect(targets).to.deep.equal([`${service.baseUrl}/pets?limit=1`]);
  });

  it('throws errors with the codes of the contract', async () => {
    const client = clientWith();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- Only this operation returns 404.
    const unknown = await errorOf(client.getPet(2n ** 63n - 1n));
    expect(unknown).to.include({ name: 'PetstoreError', code: 'pet_not_found', status: 404 });
    expect(unknown).to.include({ message: 'No pet has the id 9223372036854775807.', retryAfterSeconds: undefined });
    expect(unknown)
      .to.have.property('requestId')
      .that.matches(/^[0-9a-f-]{36}$/);
    const key = { idempotencyKey: 'one' };
    await client.createPet({ name: 'Rex', categoryId: 7 }, key);
    for (const [call, code, status] of [
      [client.listPets({ limit: 101 }), 'invalid_request', 400],
      [client.listPets({ cursor: 'x' }), 'invalid_cursor', 400],
      [client.request('get', '/store/orders'), 'not_implemented', 501],
      [clientWith({ apiKey: `${service.token.slice(0, -1)}!` }).listPets(), 'invalid_api_key', 401],
      [client.createPet({ name: 'Mia', categoryId: 7 }, key), 'idempotency_key_reused', 422],
    ] as const)
      expect(await errorOf(call)).to.include({ code, status });
  });

  it('calls any operation of the contract by its method and path, at a base URL with a trailing slash', async () => {
    const { request } = clientWith({ baseUrl: `${service.baseUrl}/` });
    const body = { name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'sold' } as const;
    const { data: rex, response } = await request('post', '/pets', { body });
    expect(rex).to.deep.equal({ id: 1, ...body });
    expect(response.headers.get('location')).to.equal(`${service.baseUrl}/pets/1`);
    const { data: pets } = await request('get', '/pets', { params: { query: { status: 'sold' } } });
    expect(pets).to.deep.equal([rex]);
    const path = { petId: 2n ** 53n };
    const unknown = await errorOf(request('get', '/pets/{petId}', { params: { path } }));
    expect(unknown).to.include({ code: 'pet_not_found', status: 404 });
    const aborted = request('get', '/pets', { signal: AbortSignal.abort() });
    expect(await errorOf(aborted)).to.include({ code: 'aborted' });
  });
});

describe('createPetstoreClient', () => {
  const baseUrl = 'https://api.petstore.example/v1';
  const create = (options: object) => () => createPetstoreClient({ baseUrl, apiKey: 'x', ...options });

  it('rejects a base URL without the path prefix of the contract, and an API key that is missing', () => {
    const message = `baseUrl must be a URL that ends with /v1, such as ${baseUrl}.`;
    expect(create({ baseUrl: 'https://petstore.example' })).to.throw(TypeError, message);
    expect(create({ apiKey: undefined })).to.throw(TypeError, 'apiKey must be visible ASCII characters');
  });
});

describe('createPet of the client', () => {
  const server = useScriptedServer();

  it('retries a creation unchanged, with one idempotency key per creation', async () => {
    const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
    server.script(noReply, errorReply(503, 'server_busy'), reply(201, rex));
    const client = clientOf(server);
    const pet = { name: 'Rex', categoryId: 2n ** 63n - 1n };
    expect(await client.createPet(pet)).to.deep.equal(rex);
    await client.createPet(pet);
    await client.createPet(pet, { idempotencyKey: 'mine' });
    const [first, ...keys] = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).to.deep.equal([first, first, keys[2], 'mine']);
    for (const key of [first, keys[2]]) expect(key).to.match(/^[0-9a-f]{32}$/);
    expect(keys[2]).not.to.equal(first);
    const userAgent = `petstore-client/${document.info.version}`;
    for (const { body, headers } of server.received) {
      expect(body).to.equal('{"name":"Rex","categoryId":9223372036854775807}');
      expect(headers).to.include({ 'content-type': 'application/json', 'user-agent': userAgent });
    }
  });
});
