import { expect } from 'chai';
import { errorOf } from '#contract-server-test/support/error-of.js';
import { FakeTime } from '#contract-server-test/support/fake-clock.js';
import { createClient } from '#src/client/create-client.js';
import {
  createPetstoreClient,
  type NewPet,
  type Pet,
  type PetstoreClientOptions,
} from '#src/client/petstore-client.js';
import { useScriptedServer } from '../support/servers/scripted-server.js';
import { useNewService } from '../support/servers/service.js';

const widest = [-(2n ** 63n), -(2n ** 53n), -(2 ** 53 - 1), 0, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];

async function all(pets: AsyncIterable<Pet>): Promise<Pet[]> {
  const list: Pet[] = [];
  for await (const pet of pets) list.push(pet);
  return list;
}

describe('the client', () => {
  const service = useNewService();

  const clientOf = (options: Partial<PetstoreClientOptions> = {}) =>
    createClient({ baseUrl: service.baseUrl, apiKey: service.token, ...options }, new FakeTime());

  it('creates, gets and lists a pet, with the status, the headers and the request id of each response', async () => {
    const client = clientOf();
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
    const client = clientOf();
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
    const client = clientOf({ fetch: counting });
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
    const client = clientOf();
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
      [clientOf({ apiKey: `${service.token.slice(0, -1)}!` }).listPets(), 'invalid_api_key', 401],
      [client.createPet({ name: 'Mia', categoryId: 7 }, key), 'idempotency_key_reused', 422],
    ] as const)
      expect(await errorOf(call)).to.include({ code, status });
  });

  it('calls any operation of the contract by its method and path, at a base URL with a trailing slash', async () => {
    const { request } = clientOf({ baseUrl: `${service.baseUrl}/` });
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
  const create = (options: unknown) => () => createPetstoreClient(options as PetstoreClientOptions);

  it('rejects a base URL that is missing, has another path, or contains a password', () => {
    for (const url of [
      ...[undefined, '', 'api.petstore.example/v1', 'localhost:8080/v1', 'ftp://localhost/v1', 'http://a b/v1'],
      ...['http://user:secret@127.0.0.1/v1', 'https://a', 'https://a/', 'https://a/v2', 'https://a/v10'],
      ...['https://a/v1/pets', 'https://a/v1?', 'https://a/v1#x', 'https://a/v1//', 'https://a/xv1'],
    ])
      expect(create({ baseUrl: url, apiKey: 'x' }), url).to.throw(
        TypeError,
        'baseUrl must be a URL that ends with /v1',
      );
    for (const url of ['/v1', '/proxy/v1', `${baseUrl}/`, 'http://localhost:8080/shop/v1'])
      expect(create({ baseUrl: url, apiKey: 'x' }), url).not.to.throw();
  });

  it('rejects an API key that is missing or cannot be sent, without repeating it in the error', () => {
    for (const apiKey of [undefined, '', ' pets_live_x', 'pets_live_x\n', 'pets live', 'pets_live_ü'])
      expect(create({ baseUrl, apiKey }))
        .to.throw(TypeError, 'apiKey must be visible ASCII characters')
        .with.property('message')
        .that.does.not.match(/pets/);
  });

  it('rejects a number of attempts below 1', () => {
    for (const maxAttempts of [0, -1, NaN])
      expect(create({ baseUrl, apiKey: 'x', maxAttempts })).to.throw(TypeError, 'maxAttempts must be at least 1.');
    expect(create({ baseUrl, apiKey: 'x', maxAttempts: 1 })).not.to.throw();
  });
});

describe('a method of the client', () => {
  const server = useScriptedServer();

  for (const [error, values] of [
    [RangeError, [2 ** 53, -(2 ** 53), 1e21, NaN, Infinity, -Infinity]],
    [TypeError, [undefined, null, '']],
  ] as const)
    it(`throws a ${error.name} before it sends a request for ${values.map(String).join(', ')}`, async () => {
      const client = server.client();
      for (const petId of values as unknown as number[]) {
        const body = (error === RangeError ? { name: 'Rex', categoryId: petId } : undefined) as NewPet;
        const calls = [
          client.createPet(body),
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- It has to work until the day of its removal.
          client.getPet(petId),
          client.request('get', '/pets/{petId}', { params: { path: { petId } } }),
          ...(error === RangeError ? [client.listPets({ limit: petId }), client.pets({ limit: petId }).next()] : []),
        ];
        for (const call of calls) expect(await errorOf(call), String(petId)).to.be.instanceOf(error);
      }
      expect(server.received).to.deep.equal([]);
    });
});
