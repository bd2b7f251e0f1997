import { expect } from 'chai';
import {
  createPetstoreClient,
  type NewPet,
  type PetstoreClient,
  type PetstoreClientOptions,
} from '#src/client/petstore-client.js';
import { errorOf } from '../support/error-of.js';
import { FakeTime } from '../support/fake-clock.js';
import { reply, ScriptedServer } from '../support/servers/scripted-server.js';

const complete = { baseUrl: 'https://api.petstore.example/v1', apiKey: 'pets_live_x' };

/** What a JavaScript program may pass. */
function create(options: unknown): PetstoreClient {
  return createPetstoreClient(options as PetstoreClientOptions);
}

describe('createPetstoreClient', () => {
  it('throws a helpful error without an API key', () => {
    for (const apiKey of [undefined, null, '', 7]) {
      expect(() => create({ ...complete, apiKey }), String(apiKey)).to.throw(
        TypeError,
        /^apiKey is missing or empty\. If it is read from an environment variable, check that the variable is set\.$/,
      );
    }
    const { apiKey, ...others } = complete;
    expect(() => create(others), apiKey).to.throw(TypeError, 'apiKey is missing');
  });

  it('throws a helpful error without options or a base URL', () => {
    const message = 'baseUrl is missing. Pass a URL such as https://api.petstore.example/v1.';
    for (const options of [undefined, null, {}, { ...complete, baseUrl: undefined }, { ...complete, baseUrl: '' }]) {
      expect(() => create(options)).to.throw(TypeError, message);
    }
  });

  it('throws a helpful error for a base URL without the path prefix', () => {
    for (const path of ['', '/', '/v2', '/v10', '/v1/pets', '/v1?', '/v1#x', '/v1//', '/xv1']) {
      expect(() => create({ ...complete, baseUrl: `https://api.petstore.example${path}` }), path).to.throw(
        TypeError,
        'baseUrl must end with /v1, such as https://api.petstore.example/v1.',
      );
    }
    for (const baseUrl of ['https://gateway.example/pets/v1/', '/v1', '/proxy/v1']) create({ ...complete, baseUrl });
  });

  it('throws for a base URL that is not a URL', () => {
    for (const baseUrl of ['http://[::1/v1', 'http://a b/v1', 'http://localhost:x/v1']) {
      expect(() => create({ ...complete, baseUrl }), baseUrl).to.throw(TypeError, 'baseUrl is not a valid URL.');
    }
  });

  it('throws for a limit that is too small or no number, and names it', () => {
    const minimums = { maxWaitSeconds: 0, maxAttempts: 1, timeoutSeconds: 0.001, maxResponseBytes: 1 };
    for (const [name, minimum] of Object.entries(minimums)) {
      for (const limit of [minimum - 1, NaN, '60', -Infinity]) {
        const message = `${name} must be a number of at least ${String(minimum)}.`;
        expect(() => create({ ...complete, [name]: limit }), String(limit)).to.throw(TypeError, message);
      }
      for (const limit of [minimum, Infinity, undefined]) create({ ...complete, [name]: limit });
    }
  });
});

describe('a method of the client', () => {
  let server: ScriptedServer;
  let client: PetstoreClient;
  before(async () => {
    server = await ScriptedServer.start();
    server.script = [reply(200, [])];
    client = createPetstoreClient({ baseUrl: server.baseUrl, apiKey: 'pets_live_x' }, new FakeTime());
  });
  after(() => server.close());

  it('rejects numbers that JavaScript has rounded, NaN and infinite numbers, before it sends a request', async () => {
    for (const number of [2 ** 53, -(2 ** 53), 1e21, NaN, Infinity, -Infinity]) {
      const path = { petId: number };
      const calls = [
        client.createPet({ name: 'Rex', categoryId: number }),
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- It has to work until the day of its removal.
        client.getPet(number),
        client.listPets({ limit: number }),
        client.pets({ limit: number }).next(),
        client.request('get', '/pets/{petId}', { params: { path } }),
        client.request('post', '/pets', { body: { name: 'Rex', categoryId: number } }),
      ];
      for (const call of calls) expect(await errorOf(call), String(number)).to.be.instanceOf(RangeError);
    }
    expect(server.received).to.deep.equal([]);
  });

  it('rejects a missing path parameter and a missing body, before it sends a request', async () => {
    for (const nothing of [undefined, null, '']) {
      const petId = nothing as unknown as number;
      const calls = [
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- It has to work until the day of its removal.
        client.getPet(petId),
        client.request('get', '/pets/{petId}', { params: { path: { petId } } }),
      ];
      for (const call of calls)
        expect(await errorOf(call))
          .to.be.instanceOf(TypeError)
          .with.property('message', 'petId is missing: it is undefined, null or empty.');
    }
    const request = client.request as (method: string, path: string) => Promise<unknown>;
    expect(await errorOf(request('get', '/pets/{petId}'))).to.be.instanceOf(TypeError);
    expect(await errorOf(client.createPet(undefined as unknown as NewPet))).to.be.instanceOf(TypeError);
    expect(server.received).to.deep.equal([]);
  });
});
