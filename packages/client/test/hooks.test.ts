import { requestTo, version } from '@contract-server/test-support/clients/scripted-client.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { FakeTime } from '@contract-server/test-support/fake-clock.js';
import {
  errorReply,
  noReply,
  reply,
  useScriptedServer,
} from '@contract-server/test-support/servers/scripted-server.js';
import { expect } from 'chai';
import type { ClientHooks } from '#dist/index.js';

const created = reply(201, { id: 1, name: 'Block' });
const creation = { params: { header: { 'Idempotency-Key': 'one' } }, body: { name: 'Block', weight: 7 } };

describe('the hooks of a client', () => {
  const server = useScriptedServer();
  const lines: string[] = [];
  beforeEach(() => void (lines.length = 0));

  const requestWith = (hooks: ClientHooks) => requestTo(server, { hooks }, new FakeTime(0.5));
  const list = (hooks: ClientHooks) => requestWith(hooks)('get', '/toys');
  const create = (hooks: ClientHooks) => requestWith(hooks)('post', '/toys', creation);
  /** Log lines and metrics as a user would write them. */
  const logging: ClientHooks = {
    beforeRequest: ({ request, path, attempt }) => lines.push(`${String(attempt)} ${request.method} ${path}`),
    afterResponse: ({ response, error, durationMs }) => {
      expect(durationMs).to.be.at.least(0);
      lines.push(`${String(response?.headers.get('X-Request-Id'))} ${String(response?.status)} ${error?.code ?? 'ok'}`);
    },
    beforeRetry: ({ attempt, error, waitSeconds }) =>
      lines.push(`retry after attempt ${String(attempt)} in ${String(waitSeconds)} s: ${error.code}`),
  };

  it('are called before each request, after each response and before each retry', async () => {
    server.script(errorReply(503, 'server_busy', { 'retry-after': '7', 'x-request-id': 'abc' }), noReply, created);
    await create(logging);
    expect(lines).to.deep.equal([
      ...['1 POST /toys', 'abc 503 server_busy', 'retry after attempt 1 in 7.25 s: server_busy'],
      ...['2 POST /toys', 'undefined undefined network_failure', 'retry after attempt 2 in 0.5 s: network_failure'],
      ...['3 POST /toys', 'null 201 ok'],
    ]);
  });

  it('get the path of the contract, and no retry for an error that is thrown', async () => {
    server.script(errorReply(404, 'toy_not_found'));
    await errorOf(requestWith(logging)('get', '/toys/{toyId}', { params: { path: { toyId: 7 } } }));
    expect(lines).to.deep.equal(['1 GET /toys/{toyId}', 'null 404 toy_not_found']);
  });

  it('can set headers, such as those of tracing or the User-Agent, and never see the API key', async () => {
    const seen: unknown[] = [];
    const hooks: ClientHooks = {
      beforeRequest: async ({ request, attempt }) => {
        await Promise.resolve();
        request.headers.set('traceparent', `trace-${String(attempt)}`);
        request.headers.append('User-Agent', 'shop/2');
        seen.push(...request.headers);
      },
      afterResponse: ({ request }) => void seen.push(...request.headers),
      beforeRetry: ({ request, error }) => void seen.push(...request.headers, String(error.stack)),
    };
    server.script(errorReply(500, 'internal_error'), reply(200, []));
    await list(hooks);
    const sent = {
      authorization: 'Bearer toys_live_x',
      'user-agent': `toys-client/${version}, shop/2`,
    };
    const [first, second] = server.received;
    expect(first?.headers).to.include({ ...sent, traceparent: 'trace-1' });
    expect(second?.headers).to.include({ ...sent, traceparent: 'trace-2' });
    expect(JSON.stringify(seen)).to.contain('trace-2').and.not.contain('toys_live_x');
  });

  for (const [name, requests] of Object.entries({ beforeRequest: 0, afterResponse: 1, beforeRetry: 1 }))
    it(`reject the call with the exception of ${name}, without a retry`, async () => {
      const failure = new Error('The log is full.');
      const throwing = () => {
        throw failure;
      };
      for (const hook of [throwing, () => Promise.reject(failure)]) {
        server.script(errorReply(500, 'internal_error'), reply(200, []));
        expect(await errorOf(list({ [name]: hook }))).to.equal(failure);
        expect(server.received).to.have.lengthOf(requests);
      }
    });

  it('can read the body of a clone of the request; without a clone, the call fails without a retry', async () => {
    server.script(created);
    const bodies: string[] = [];
    const readBy = (toBody: (request: Request) => Request): ClientHooks => ({
      beforeRequest: async ({ request }) => bodies.push(await toBody(request).text()),
    });
    await create(readBy((request) => request.clone()));
    const error = await errorOf(create(readBy((request) => request)));
    expect(error).to.be.instanceOf(TypeError);
    expect(bodies).to.deep.equal(Array(2).fill('{"name":"Block","weight":7}'));
    expect(server.received).to.have.lengthOf(1);
  });
});
