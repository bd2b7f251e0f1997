import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { contractOf } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import { StartError, serverBusy, storeUnavailable } from '@contract-server/core/lib/errors.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { jwtSecurity, signJwt } from '@contract-server/test-support/security/jwt.js';
import { startComposed, startMock, validKey } from '@contract-server/test-support/servers/composed.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { expect } from 'chai';
import supertest from 'supertest';
import { createKey } from '#src/api-keys/api-key.js';
import { apiKeySecurity } from '#src/api-keys/api-key-security.js';
import { requireSecuritySchemes, type SchemeHandlers } from '#src/http/security/security.js';

const { document: contract } = toysContract;

/** The security requirements of the operations, by operationId. */
const operations = {
  byKey: undefined,
  byScope: [{ oauth: ['read'] }],
  byEither: [{ oauth: ['write'] }, { headerKey: [] }],
  byBoth: [{ oauth: ['read'], headerKey: [] }],
  optional: [{}, { oauth: ['read'] }],
  public: [],
  unavailable: [{ failing: [], alsoFailing: [] }],
} as const;
type Id = keyof typeof operations;

const bearer = { type: 'http', scheme: 'bearer' } as const;
const securitySchemes = {
  apiKey: contractOf(contract).securitySchemes.get('apiKey'),
  headerKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', 'x-realm': 'apps' },
  oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: { read: '', write: '' } } } },
  failing: bearer,
  alsoFailing: bearer,
} as const;

const success = { description: 'Done.', content: { 'application/json': { schema: { type: 'object' } } } };
const paths = Object.entries(operations).map(([operationId, security]) => {
  const operation = { operationId, 'x-stability': 'stable', responses: { 200: success } };
  return [`/${operationId}`, { get: { ...operation, ...(security && { security }) } }];
});
const document = {
  ...contract,
  paths: Object.fromEntries(paths) as unknown,
  components: { ...contract.components, securitySchemes },
} as unknown as ContractDocument;

interface Caller {
  readonly id: string;
  readonly scopes: readonly string[];
}
interface Context {
  readonly callers: Readonly<Record<string, Caller>>;
  readonly quotaId: string | undefined;
}
const handler = (_request: unknown, { callers, quotaId }: Context) =>
  Promise.resolve({ status: 200, body: stringifyJson({ callers: Object.values(callers), quotaId }) });
const handlers = Object.fromEntries(Object.keys(operations).map((id) => [id, handler]));

const lacksScope = (scope: string) => `Bearer realm="Toys", error="insufficient_scope", scope="${scope}"`;
const bearerOf = (scope: string, claims = {}) =>
  `Bearer ${signJwt({ scope, exp: startOfTests / 1000 + 1, ...claims })}`;
const quota = { id: 'quota_ann', limits: { requestsPerMinute: 7, requestsPerDay: 70 } };
const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: {},
  'a bearer key': { Authorization: 'Bearer valid' },
  'a header key': { 'X-API-Key': 'valid' },
  'a wrong header key': { 'X-API-Key': 'wrong' },
  'a token to read': { Authorization: bearerOf('read') },
  'a token to write': { Authorization: bearerOf('write') },
  'a token with a quota': { Authorization: bearerOf('write read', { quota }) },
  'a forged token': { Authorization: `${bearerOf('read')}x` },
};

const [anyToken, anyKey] = ['Bearer realm="Toys"', 'ApiKey realm="apps"'];
/** For 200, the callers, and the limit of their quota or of the client address; otherwise the code, and challenges. */
const expected: readonly (readonly [id: Id, sent: string, status: number, result: string, header: string])[] = [
  ['byKey', 'a bearer key', 200, 'key_app', '300'],
  ['byScope', 'a token to read', 200, 'ann: read', '60'],
  ['byScope', 'a token with a quota and a header key', 200, 'ann: write read', '7'],
  ['byEither', 'a token to write', 200, 'ann: write', '60'],
  ['byEither', 'a token to read and a header key', 200, 'key_app', '300'],
  ['byBoth', 'a token to read and a header key', 200, 'ann: read, key_app', '300'],
  ['optional', 'nothing', 200, 'no caller', '60'],
  ['optional', 'a token to read', 200, 'ann: read', '60'],
  ['optional', 'a token to write', 200, 'no caller', '60'],
  ['optional', 'a forged token', 200, 'no caller', '60'],
  ['public', 'nothing', 200, 'no caller', '60'],
  ['public', 'a forged token and a wrong header key', 200, 'no caller', '60'],
  ['public', 'a header key', 200, 'no caller', '60'],
  ['public', 'a bearer key', 200, 'no caller', '300'],
  ['byKey', 'a header key', 401, 'missing_api_key', 'Bearer realm="toys"'],
  ['byKey', 'a token to read', 401, 'invalid_api_key', 'Bearer realm="toys", error="invalid_token"'],
  ['byScope', 'nothing', 401, 'missing_credentials', 'Bearer realm="Toys"'],
  ['byScope', 'a forged token', 401, 'invalid_credentials', 'Bearer realm="Toys", error="invalid_token"'],
  ['byScope', 'a token to write', 403, 'insufficient_scope', lacksScope('read')],
  ['byEither', 'nothing', 401, 'missing_credentials', 'Bearer realm="Toys", ApiKey realm="apps"'],
  ['byEither', 'a wrong header key', 401, 'invalid_api_key', `${anyToken}, ${anyKey}, error="invalid_token"`],
  ['byEither', 'a token to read and a wrong header key', 403, 'insufficient_scope', lacksScope('write')],
  ['byBoth', 'a header key', 401, 'missing_credentials', 'Bearer realm="Toys"'],
  ['byBoth', 'a token to read', 401, 'missing_api_key', 'ApiKey realm="apps"'],
  ['byBoth', 'a token to write and a header key', 403, 'insufficient_scope', lacksScope('read')],
];

describe('security requirements', () => {
  let service: Awaited<ReturnType<typeof startComposed>>;
  before(async () => {
    const security: SchemeHandlers = {
      ...validKey(document, 'apiKey'),
      ...validKey(document, 'headerKey'),
      oauth: jwtSecurity(() => startOfTests),
      failing: { identify: () => Promise.reject(storeUnavailable('test')) },
      alsoFailing: {
        identify: () => {
          throw serverBusy();
        },
      },
    };
    service = await startComposed({ document, handlers, security });
  });

  const send = (id: Id, sent: string) => {
    const headers = sent.split(' and ').map((name) => credentials[name] ?? expect.fail(name));
    return headers.reduce((test, header) => test.set(header), supertest(service.server).get(`/v1/${id}`));
  };

  for (const [id, sent, status, result, header] of expected)
    it(`of ${id}: ${sent} returns ${String(status)} (${result}; ${header})`, async () => {
      const response = await send(id, sent).expect(status);
      const body = response.body as { readonly code?: string; readonly callers?: readonly Caller[] };
      const callers = body.callers?.map(({ id, scopes }) => [id, ...scopes].join(' ').replace(' ', ': '));
      expect(callers === undefined ? body.code : callers.join(', ') || 'no caller').to.equal(result);
      expect(response.get(status === 200 ? 'x-ratelimit-limit' : 'www-authenticate')).to.equal(header);
    });

  it('are explained in the message of an error', async () => {
    for (const [sent, message] of [
      ['nothing', 'Send your credentials: Authorization: Bearer <CREDENTIALS>.'],
      ['a forged token', 'The credentials are invalid or expired. Request new ones.'],
      ['a token to write', 'The credentials lack the scope `read`. Request new ones that have it.'],
    ] as const)
      expect((await send('byScope', sent)).body).to.include({ message });
  });

  it('cannot be checked while handlers fail: the response is 503, with the limits of the address', async () => {
    const response = await send('unavailable', 'a bearer key').expect(503);
    expect(response.headers).to.include({ 'retry-after': '1', 'x-ratelimit-limit': '60' });
    expect(service.reported).to.deep.equal([]);
  });

  it('of the mock server accept any credentials', async () => {
    const mock = await startMock({ document });
    const get = () => supertest(mock.server).get('/v1/byBoth').set('Connection', 'close');
    await get().set('X-API-Key', 'x').expect(401);
    await get().set({ 'X-API-Key': 'x', Authorization: 'Bearer x' }).expect(200);
  });

  it('report a stored key whose plan is custom in the contract and has no limits', () => {
    const quota = { id: 'quota_a', plan: 'enterprise', limits: undefined } as const;
    const key = createKey({ id: 'key_a', name: 'shop', quota, createdAt: startOfTests });
    const { identify } = apiKeySecurity(contractOf(contract), { identify: () => key });
    expect(() => identify('x', new IncomingMessage(new Socket()))).to.throw(
      'The quota quota_a has the custom plan enterprise without its two limits.',
    );
  });

  it('can have an HTTP scheme of any name, in any case', async () => {
    const odd = { type: 'http', scheme: 'x+y' };
    const only = { ...document, security: [], paths: {}, components: { securitySchemes: { odd } } };
    const contractOfOdd = contractOf(only as unknown as ContractDocument);
    const scheme = requireSecuritySchemes(contractOfOdd, { odd: { identify: (id) => ({ id }) } }).get('odd');
    const identify = (authorization: string) =>
      scheme?.identify(Object.assign(new IncomingMessage(new Socket()), { headers: { authorization } }));
    expect(await identify('X+Y  a b')).to.deep.equal({ id: 'a b' });
    for (const other of ['xxy a', 'x+y', 'x+yz a', ' x+y a']) expect(await identify(other), other).to.equal('missing');
  });

  it('prevent the start if a scheme has no handler, or a handler no scheme', () => {
    const handler = { identify: () => undefined };
    const handlers = Object.fromEntries(Object.keys(securitySchemes).map((name) => [name, handler]));
    const { oauth: _oauth, ...others } = handlers;
    const none = 'The security scheme oauth has no handler; add one to `security`, or remove the scheme.';
    expect(() => requireSecuritySchemes(contractOf(document), others)).to.throw(StartError, none);
    const unknown = () => requireSecuritySchemes(contractOf(document), { ...handlers, oAuth: handler });
    expect(unknown).to.throw(StartError, 'The contract has no security scheme oAuth.');
  });
});
