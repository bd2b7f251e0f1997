import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createClient } from '#src/client/create-client.js';
import {
  type ClientHooks,
  createPetstoreClient,
  isPetstoreError,
  type PetstoreClientOptions,
} from '#src/client/petstore-client.js';
import { errorOf } from '../support/error-of.js';
import { FakeTime } from '../support/fake-clock.js';
import { errorReply, reply, ScriptedServer } from '../support/servers/scripted-server.js';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

describe('the hooks of a client', () => {
  let server: ScriptedServer;
  let lines: string[];
  beforeEach(async () => {
    server = await ScriptedServer.start();
    lines = [];
  });
  afterEach(() => server.close());

  const clientOf = (options: Partial<PetstoreClientOptions>, time = new FakeTime(0.5)) =>
    createClient({ baseUrl: server.baseUrl, apiKey: 'pets_live_x', ...options }, time);
  /** Log lines and metrics as a user would write them. */
  const logging: ClientHooks = {
    beforeRequest: ({ request, path, attempt }) => lines.push(`${String(attempt)} ${request.method} ${path}`),
    afterResponse: ({ response, error, durationMs }) => {
      expect(durationMs).to.be.at.least(0);
      lines.push(`${String(response?.status)} ${error?.code ?? 'ok'}`);
    },
    beforeRetry: ({ attempt, error, waitSeconds }) =>
      lines.push(`retry after attempt ${String(attempt)} in ${String(waitSeconds)} s: ${error.code}`),
  };

  it('are called before each request, after each response and before each retry', async () => {
    server.script = [
      errorReply(503, 'server_busy', { 'retry-after': '7' }),
      (response) => response.destroy(),
      reply(201, { id: 1, name: 'Rex', categoryId: 7 }),
    ];
    await clientOf({ hooks: logging }).createPet({ name: 'Rex', categoryId: 7 });
    expect(lines).to.deep.equal([
      ...['1 POST /pets', '503 server_busy', 'retry after attempt 1 in 7.25 s: server_busy'],
      ...['2 POST /pets', 'undefined network_failure', 'retry after attempt 2 in 0.5 s: network_failure'],
      ...['3 POST /pets', '201 ok'],
    ]);
  });

  it('get the path of the contract, and no retry for an error that is thrown', async () => {
    server.script = [errorReply(404, 'pet_not_found')];
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- Only this operation has a path parameter.
    await errorOf(clientOf({ hooks: logging }).getPet(7));
    expect(lines).to.deep.equal(['1 GET /pets/{petId}', '404 pet_not_found']);
  });

  it('can set headers, such as those of tracing, and never see the API key', async () => {
    const seen: unknown[] = [];
    const hooks: ClientHooks = {
      beforeRequest: async ({ request, attempt }) => {
        await Promise.resolve();
        request.headers.set('traceparent', `trace-${String(attempt)}`);
        seen.push(...request.headers);
      },
      afterResponse: ({ request }) => void seen.push(...request.headers),
      beforeRetry: ({ request, error }) => void seen.push(...request.headers, String(error.stack)),
    };
    server.script = [errorReply(500, 'internal_error'), reply(200, [])];
    await clientOf({ hooks }).listPets();
    expect(server.received.map(({ headers }) => headers['traceparent'])).to.deep.equal(['trace-1', 'trace-2']);
    expect(server.received.map(({ headers }) => headers.authorization)).to.deep.equal(
      Array(2).fill('Bearer pets_live_x'),
    );
    expect(JSON.stringify(seen)).to.contain('trace-2').and.not.contain('pets_live_x');
  });

  it('get a response whose status and headers can be read', async () => {
    server.script = [reply(200, [], { 'x-request-id': 'abc' })];
    const ids: (string | null | undefined)[] = [];
    const hooks: ClientHooks = { afterResponse: ({ response }) => ids.push(response?.headers.get('X-Request-Id')) };
    await clientOf({ hooks }).listPets();
    expect(ids).to.deep.equal(['abc']);
  });

  it('reject the call with their exception, without a retry', async () => {
    const failure = new Error('The log is full.');
    const failing = () => {
      throw failure;
    };
    for (const [name, requests] of [
      ['beforeRequest', 0],
      ['afterResponse', 1],
      ['beforeRetry', 1],
    ] as const) {
      server.received.length = 0;
      server.script = [errorReply(500, 'internal_error'), reply(200, [])];
      for (const hook of [failing, () => Promise.reject(failure)]) {
        server.received.length = 0;
        expect(await errorOf(clientOf({ hooks: { [name]: hook } }).listPets()), name).to.equal(failure);
        expect(server.received, name).to.have.lengthOf(requests);
      }
    }
  });

  it('can read the body of a clone of the request; without a clone, the call fails without a retry', async () => {
    server.script = [reply(201, { id: 1, name: 'Rex', categoryId: 7 })];
    const bodies: string[] = [];
    const readBy = (toBody: (request: Request) => Request): ClientHooks => ({
      beforeRequest: async ({ request }) => bodies.push(await toBody(request).text()),
    });
    await clientOf({ hooks: readBy((request) => request.clone()) }).createPet({ name: 'Rex', categoryId: 7 });
    const error = await errorOf(
      clientOf({ hooks: readBy((request) => request) }).createPet({ name: 'Mia', categoryId: 7 }),
    );
    expect(error).to.be.instanceOf(TypeError);
    expect(bodies).to.deep.equal(['{"name":"Rex","categoryId":7}', '{"name":"Mia","categoryId":7}']);
    expect(server.received).to.have.lengthOf(1);
  });

  it('are not called for an attempt that is not made', async () => {
    const waiting = new AbortController();
    server.script = [errorReply(500, 'internal_error')];
    const client = clientOf({ hooks: logging }, new FakeTime(0, () => waiting.abort()));
    const failure = await errorOf(client.listPets({}, { signal: waiting.signal }));
    expect(isPetstoreError(failure, 'aborted')).to.equal(true);
    expect(lines).to.have.lengthOf(3);
  });
});

describe('the User-Agent of a client', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await ScriptedServer.start();
    server.script = [reply(200, [])];
  });
  afterEach(() => server.close());

  const sent = async (hooks: ClientHooks = {}) => {
    await createPetstoreClient({ baseUrl: server.baseUrl, apiKey: 'pets_live_x', hooks }).listPets();
    return server.received.at(-1)?.headers['user-agent'];
  };

  it('has the name and the version of the package', async () => {
    expect(await sent()).to.equal(`petstore-client/${version}`);
  });

  it('can be set by a hook', async () => {
    const hooks: ClientHooks = { beforeRequest: ({ request }) => request.headers.append('User-Agent', 'shop/2') };
    expect(await sent(hooks)).to.equal(`petstore-client/${version}, shop/2`);
  });

  it('is that of the browser in a page', async () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    const navigator = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36' };
    Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
    expect(await sent()).not.to.contain('petstore-client');
    if (own === undefined) Reflect.deleteProperty(globalThis, 'navigator');
    else Object.defineProperty(globalThis, 'navigator', own);
  });
});
