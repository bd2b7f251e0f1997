import { expect } from 'chai';
import { createClient } from '#src/client/create-client.js';
import {
  createPetstoreClient,
  type NewPet,
  type Pet,
  type PetstoreClientOptions,
} from '#src/client/petstore-client.js';
import { errorOf } from '../support/error-of.js';
import { FakeTime } from '../support/fake-clock.js';
import { reply, ScriptedServer } from '../support/servers/scripted-server.js';
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
  const create = async (...pets: NewPet[]) => {
    for (const pet of pets) await clientOf().createPet(pet);
  };

  it('creates a pet and gets it', async () => {
    const client = clientOf();
    const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
    expect(await client.createPet({ name: 'Rex', categoryId: 7 })).to.deep.equal(rex);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- It has to work until the day of its removal.
    expect(await client.getPet(1)).to.deep.equal(rex);
    expect(await client.listPets()).to.deep.equal({ pets: [rex], next: undefined });
  });

  it('sends and receives exact integers: a number up to 2^53 − 1, a bigint beyond', async () => {
    const client = clientOf();
    for (const categoryId of widest) {
      expect((await client.createPet({ name: 'Rex', categoryId })).categoryId).to.equal(categoryId);
    }
    expect((await all(client.pets())).map(({ categoryId }) => categoryId)).to.deep.equal(widest);
  });

  it('rejects numbers that may have been rounded', async () => {
    const failure = await errorOf(clientOf().createPet({ name: 'Rex', categoryId: 2 ** 53 }));
    expect(failure).to.be.instanceOf(RangeError);
    expect(await all(clientOf().pets())).to.deep.equal([]);
  });

  it('iterates over all pages, with filters', async () => {
    for (let index = 1; index <= 7; index += 1) {
      await create({ name: String(index), categoryId: index, status: index % 2 === 0 ? 'sold' : 'pending' });
    }
    const client = clientOf();
    const ids = async (pets: AsyncIterable<Pet>) => (await all(pets)).map(({ id }) => id);
    expect(await ids(client.pets({ limit: 2 }))).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    expect(await ids(client.pets({ limit: 1, status: 'sold' }))).to.deep.equal([2, 4, 6]);
    expect(await ids(client.pets({ status: 'available' }))).to.deep.equal([]);
    const { next } = await client.listPets({ limit: 3 });
    expect(await ids(client.pets({ limit: 3, ...(next !== undefined && { cursor: next }) }))).to.deep.equal([
      4, 5, 6, 7,
    ]);
  });

  it('requests no page before it is needed', async () => {
    await create({ name: 'Rex', categoryId: 1 }, { name: 'Mia', categoryId: 2 });
    const targets: string[] = [];
    const counting: typeof fetch = (input, init) => {
      targets.push((input as Request).url);
      return fetch(input, init);
    };
    for await (const { id } of clientOf({ fetch: counting }).pets({ limit: 1 })) {
      expect(id).to.equal(1);
      break;
    }
    expect(targets).to.deep.equal([`${service.baseUrl}/pets?limit=1`]);
  });

  it('throws errors with the codes of the contract', async () => {
    const client = clientOf();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- Only this operation returns 404.
    const unknown = await errorOf(client.getPet(2n ** 63n - 1n));
    expect(unknown).to.include({
      name: 'PetstoreError',
      code: 'pet_not_found',
      status: 404,
      retryAfterSeconds: undefined,
    });
    expect(unknown).to.have.property('message', 'No pet has the id 9223372036854775807.');
    expect(unknown)
      .to.have.property('requestId')
      .that.matches(/^[0-9a-f-]{36}$/);
    expect(await errorOf(client.listPets({ limit: 101 }))).to.include({ code: 'invalid_request', status: 400 });
    expect(await errorOf(client.listPets({ cursor: 'x' }))).to.include({ code: 'invalid_cursor', status: 400 });
    expect(await errorOf(client.request('get', '/store/orders'))).to.include({ code: 'not_implemented', status: 501 });
    const stranger = clientOf({ apiKey: `${service.token.slice(0, -1)}!` });
    expect(await errorOf(stranger.listPets())).to.include({ code: 'invalid_api_key', status: 401 });
    const reused = { idempotencyKey: 'one' };
    await client.createPet({ name: 'Rex', categoryId: 7 }, reused);
    const other = await errorOf(client.createPet({ name: 'Mia', categoryId: 7 }, reused));
    expect(other).to.include({ code: 'idempotency_key_reused', status: 422 });
  });

  it('calls any operation of the contract by its method and path', async () => {
    const { request } = clientOf();
    const body = { name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'sold' } as const;
    const { data: rex, response } = await request('post', '/pets', { body });
    expect(rex).to.deep.equal({ id: 1, ...body });
    expect(response.headers.get('location')).to.equal(`${service.baseUrl}/pets/1`);
    const { data: pets } = await request('get', '/pets', { params: { query: { status: 'sold' } } });
    expect(pets).to.deep.equal([rex]);
    const path = { petId: 2n ** 53n };
    const unknown = await errorOf(request('get', '/pets/{petId}', { params: { path } }));
    expect(unknown).to.include({ code: 'pet_not_found', status: 404 });
    const { signal } = new AbortController();
    expect(await errorOf(request('get', '/store/orders', { signal }))).to.include({ code: 'not_implemented' });
    const aborted = request('get', '/pets', { signal: AbortSignal.abort() });
    expect(await errorOf(aborted)).to.include({ code: 'aborted' });
  });

  it('accepts a base URL with a trailing slash', async () => {
    expect(await clientOf({ baseUrl: `${service.baseUrl}/` }).listPets()).to.deep.equal({ pets: [], next: undefined });
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
});

describe('a method of the client', () => {
  let server: ScriptedServer;
  before(async () => {
    server = await ScriptedServer.start();
    server.script = [reply(200, [])];
  });
  after(() => server.close());

  const wrong: readonly (readonly [error: typeof RangeError, values: readonly unknown[]])[] = [
    [RangeError, [2 ** 53, -(2 ** 53), 1e21, NaN, Infinity, -Infinity]],
    [TypeError, [undefined, null, '']],
  ];
  for (const [error, values] of wrong) {
    it(`throws a ${error.name} before it sends a request for ${values.map(String).join(', ')}`, async () => {
      const client = createClient({ baseUrl: server.baseUrl, apiKey: 'pets_live_x' }, new FakeTime());
      for (const petId of values as number[]) {
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
  }
});

describe('the API key of a client', () => {
  let named: ScriptedServer;
  let foreign: ScriptedServer;
  beforeEach(async () => {
    [named, foreign] = await Promise.all([ScriptedServer.start(), ScriptedServer.start()]);
  });
  afterEach(() => Promise.all([named.close(), foreign.close()]));

  const clientOf = (server: ScriptedServer) =>
    createClient({ baseUrl: server.baseUrl, apiKey: 'pets_live_x' }, new FakeTime());
  const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

  it('is only sent to the base URL, even if a next link has another origin', async () => {
    named.script = [reply(200, [rex], { link: `<${foreign.baseUrl}/pets?cursor=abc>; rel="next"` }), reply(200, [])];
    expect(await all(clientOf(named).pets({ status: 'sold' }))).to.deep.equal([rex]);
    expect(named.received.map(({ target }) => target)).to.deep.equal([
      '/v1/pets?status=sold',
      '/v1/pets?status=sold&cursor=abc',
    ]);
    expect(named.received.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer pets_live_x',
      'Bearer pets_live_x',
    ]);
    expect(foreign.received).to.deep.equal([]);
  });

  it('is not sent after a redirect', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      named.script = [reply(status, '', { location: `${foreign.baseUrl}/pets` })];
      expect(await errorOf(clientOf(named).listPets())).to.include({ code: 'unexpected_response', status });
    }
    expect(foreign.received).to.deep.equal([]);
    expect(named.received).to.have.lengthOf(5);
  });

  it('occurs in no error', async () => {
    named.script = [(response) => response.destroy()];
    const failure = await errorOf(clientOf(named).listPets());
    expect(failure).to.include({ code: 'network_failure', status: undefined });
    for (let error: unknown = failure; error instanceof Error; error = error.cause) {
      expect(`${String(error.stack)}${JSON.stringify(error)}`).not.to.contain('pets_live_x');
    }
  });
});
