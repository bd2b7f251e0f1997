import { inspect } from 'node:util';
import { type AnyContract, noValues } from '@contract-server/test-support/clients/any-contract.js';
import { requestTo } from '@contract-server/test-support/clients/scripted-client.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import {
  errorReply,
  noReply,
  reply,
  useScriptedServer,
} from '@contract-server/test-support/servers/scripted-server.js';
import { expect } from 'chai';
import { createCall, createClient } from '#dist/index.js';

const toys = [{ id: 1, name: 'Block' }];

describe('a call of a client', () => {
  const server = useScriptedServer();
  const unhandled = () => expect.fail('A rejection was not handled.');

  const list = () => createCall(requestTo(server)('get', '/toys'), (body) => body);

  it('sends the request once, with or without withResponse', async () => {
    server.script(reply(200, toys));
    const call = list();
    const [body, { data }] = await Promise.all([call, call.withResponse()]);
    expect(body).to.deep.equal(toys);
    expect(data).to.deep.equal(toys);
    expect(server.received).to.have.lengthOf(1);
  });

  it('throws errors, which withResponse reports as well', async () => {
    server.script(errorReply(404, 'toy_not_found', { 'x-request-id': 'abc' }));
    process.on('unhandledRejection', unhandled);
    const failure = await errorOf(list().withResponse());
    expect(failure).to.include({ code: 'toy_not_found', status: 404, requestId: 'abc' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    // The response stays out of logs.
    expect(inspect(failure)).not.to.contain('Response');
    expect(Object.keys(failure as object)).not.to.contain('response');
  });

  it('needs no body of the response, whatever its status', async () => {
    server.script(reply(202, ''));
    expect(await requestTo(server)('get', '/toys')).to.include({ data: undefined });
  });

  for (const [error, values] of [
    [RangeError, [2 ** 53, -(2 ** 53), 1e21, NaN, Infinity, -Infinity]],
    [TypeError, [undefined, null, '']],
  ] as const)
    it(`throws a ${error.name} before it sends a request for ${values.map(String).join(', ')}`, async () => {
      const request = requestTo(server);
      for (const value of values) {
        const calls = [
          request('post', '/toys', { body: error === RangeError ? { weight: value } : undefined }),
          request('get', '/toys/{toyId}', { params: { path: { toyId: value } } }),
          ...(error === RangeError ? [request('get', '/toys', { params: { query: { limit: value } } })] : []),
        ];
        for (const call of calls) expect(await errorOf(call), String(value)).to.be.instanceOf(error);
      }
      expect(server.received).to.deep.equal([]);
    });
});

describe('the API key of a client', () => {
  const [named, foreign] = [useScriptedServer(), useScriptedServer()];

  it('is not sent after a redirect', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      named.script(reply(status, '', { location: `${foreign.baseUrl}/toys` }));
      const failure = await errorOf(requestTo(named)('get', '/toys'));
      expect(failure).to.include({ code: 'unexpected_response', status });
      expect([named.received.length, foreign.received.length]).to.deep.equal([1, 0]);
    }
  });

  it('occurs in no error', async () => {
    named.script(noReply);
    const failure = await errorOf(requestTo(named)('get', '/toys'));
    expect(failure).to.include({ code: 'network_failure', status: undefined });
    for (let error: unknown = failure; error instanceof Error; error = error.cause)
      expect(`${String(error.stack)}${JSON.stringify(error)}`).not.to.contain('toys_live_x');
  });
});

describe('createClient', () => {
  const contract = { ...noValues, pathPrefix: '/v1', schemes: { token: { type: 'http', scheme: 'bearer' } } } as const;
  const baseUrl = 'https://api.toys.example/v1';
  const create = (options: object) => () => createClient<AnyContract>({ baseUrl, contract, ...options });

  it('rejects a base URL that is missing, has another path, or contains a password', () => {
    for (const url of [
      ...[undefined, '', 'api.toys.example/v1', 'localhost:8080/v1', 'ftp://localhost/v1', 'http://a b/v1'],
      ...['http://user:secret@127.0.0.1/v1', 'https://a', 'https://a/', 'https://a/v2', 'https://a/v10'],
      ...['https://a/v1/toys', 'https://a/v1?', 'https://a/v1#x', 'https://a/v1//', 'https://a/xv1'],
    ])
      expect(create({ baseUrl: url }), url).to.throw(TypeError, 'baseUrl must be a URL that ends with /v1');
    for (const url of ['/v1', '/proxy/v1', `${baseUrl}/`, 'http://localhost:8080/shop/v1'])
      expect(create({ baseUrl: url }), url).not.to.throw();
  });

  it('rejects an API key that is missing or cannot be sent, without repeating it in the error', () => {
    for (const token of [undefined, '', ' toys_live_x', 'toys_live_x\n', 'toys live', 'toys_live_ü'])
      expect(create({ credentials: { token } }))
        .to.throw(TypeError, 'token must be visible ASCII characters')
        .with.property('message')
        .that.does.not.match(/toys/);
  });

  it('rejects a number of attempts below 1', () => {
    for (const maxAttempts of [0, -1, NaN])
      expect(create({ maxAttempts })).to.throw(TypeError, 'maxAttempts must be at least 1.');
    expect(create({ maxAttempts: 1 })).not.to.throw();
  });
});
