import { expect } from 'chai';
import supertest from 'supertest';
import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { readConfig } from '#src/config.js';
import { apiKeySecurity, requireSecuritySchemes, type SecurityHandler } from '#src/http/security.js';
import { stringifyJson } from '#src/json/exact-json.js';
import { StartError, serverBusy, storeUnavailable } from '#src/lib/errors.js';
import { type ContractDocument, securitySchemesOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { Caller, RequestMetadata } from '#src/openapi/types.js';
import { createMock } from '#src/service/create-mock.js';
import { closeLater } from '../support/closing.js';
import { jwtSecurity, signJwt } from '../support/security/jwt.js';
import { startComposed } from '../support/servers/composed.js';
import { startOfTests } from '../support/servers/service.js';

const { document: petstore } = await readContract(contractUrl);

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
  apiKey: securitySchemesOf(petstore)['apiKey'],
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
  ...petstore,
  paths: Object.fromEntries(paths) as unknown,
  components: { ...petstore.components, securitySchemes },
} as unknown as ContractDocument;

const handler = (_request: unknown, { callers, quotaId }: RequestMetadata) =>
  Promise.resolve({ status: 200, body: stringifyJson({ callers: callers as Caller[], quotaId }) });
const handlers = Object.fromEntries(Object.keys(operations).map((id) => [id, handler]));

const token = (changes: object = {}) => ({
  Authorization: `Bearer ${signJwt({ sub: 'ann', name: 'Ann', scope: 'read', exp: startOfTests / 1000 + 1, ...changes })}`,
});
const quota = { id: 'quota_ann', limits: { requestsPerMinute: 7, requestsPerDay: 70 } };
/** The headers of requests. `<key>` is replaced by a valid API key. */
const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: {},
  'a bearer key': { Authorization: 'Bearer <key>' },
  'a header key': { 'X-API-Key': '<key>' },
  'a wrong header key': { 'X-API-Key': 'wrong' },
  'a token to read': token(),
  'a token to write': token({ scope: 'write' }),
  'a token with a quota': token({ quota, scope: 'write read' }),
  'an expired token': token({ exp: startOfTests / 1000 }),
  'a forged token': { Authorization: `${token().Authorization}x` },
};

/** The requests that are allowed: who the callers are, and the limit of their quota or of the client address. */
const allowed: readonly (readonly [id: Id, sent: string, callers: readonly string[], limit: number])[] = [
  ['byKey', 'a bearer key', ['app'], 300],
  ['byScope', 'a token to read', ['Ann: read'], 60],
  ['byScope', 'a token with a quota and a header key', ['Ann: write read'], 7],
  ['byEither', 'a token to write', ['Ann: write'], 60],
  ['byEither', 'a header key', ['app'], 300],
  ['byEither', 'a token to read and a header key', ['app'], 300],
  ['byBoth', 'a token to read and a header key', ['Ann: read', 'app'], 300],
  ['optional', 'nothing', [], 60],
  ['optional', 'a token to read', ['Ann: read'], 60],
  ['optional', 'a token to write', [], 60],
  ['optional', 'a forged token', [], 60],
  ['public', 'nothing', [], 60],
  ['public', 'a forged token and a wrong header key', [], 60],
  ['public', 'a header key', [], 60],
  ['public', 'a bearer key', [], 300],
];

const [petStore, apps] = ['Bearer realm="Pet Store"', 'ApiKey realm="apps"'];
const invalidToken = `${petStore}, error="invalid_token"`;
const lacksScope = (scope: string) => `${petStore}, error="insufficient_scope", scope="${scope}"`;

/** The requests that are denied, with the challenges of the response. */
const denied: readonly (readonly [id: Id, sent: string, status: number, code: string, challenges: string])[] = [
  ['byKey', 'a header key', 401, 'missing_api_key', 'Bearer realm="petstore"'],
  ['byKey', 'a token to read', 401, 'invalid_api_key', 'Bearer realm="petstore", error="invalid_token"'],
  ['byScope', 'nothing', 401, 'missing_credentials', petStore],
  ['byScope', 'a header key', 401, 'missing_credentials', petStore],
  ['byScope', 'a bearer key', 401, 'invalid_credentials', invalidToken],
  ['byScope', 'an expired token', 401, 'invalid_credentials', invalidToken],
  ['byScope', 'a forged token', 401, 'invalid_credentials', invalidToken],
  ['byScope', 'a token to write', 403, 'insufficient_scope', lacksScope('read')],
  ['byEither', 'nothing', 401, 'missing_credentials', `${petStore}, ${apps}`],
  ['byEither', 'a wrong header key', 401, 'invalid_api_key', `${petStore}, ${apps}, error="invalid_token"`],
  ['byEither', 'a token to read and a wrong header key', 403, 'insufficient_scope', lacksScope('write')],
  ['byBoth', 'a header key', 401, 'missing_credentials', petStore],
  ['byBoth', 'a token to read', 401, 'missing_api_key', apps],
  ['byBoth', 'a token to write', 401, 'missing_api_key', apps],
  ['byBoth', 'a token to write and a header key', 403, 'insufficient_scope', lacksScope('read')],
];

describe('security requirements', () => {
  let service: Awaited<ReturnType<typeof startComposed>>;
  before(async () => {
    const security = (authenticator: Parameters<typeof apiKeySecurity>[2]): Record<string, SecurityHandler> => ({
      apiKey: apiKeySecurity(document, 'apiKey', authenticator),
      headerKey: apiKeySecurity(document, 'headerKey', authenticator),
      oauth: jwtSecurity(document, 'oauth', () => startOfTests),
      failing: () => Promise.reject(storeUnavailable('test')),
      alsoFailing: () => {
        throw serverBusy();
      },
    });
    service = await startComposed({ document, handlers, security });
  });

  const send = (id: Id, sent: string) => {
    const headers = sent.split(' and ').flatMap((name) => Object.entries(credentials[name] ?? expect.fail(name)));
    const values = headers.map(([name, value]) => [name, value.replace('<key>', service.token)]);
    return supertest(service.server)
      .get(`/v1/${id}`)
      .set(Object.fromEntries(values) as Record<string, string>);
  };

  for (const [id, sent, names, limit] of allowed)
    it(`allow ${sent} for ${id}, with ${names.join(' and ') || 'no caller'} and a limit of ${String(limit)}`, async () => {
      const response = await send(id, sent).expect(200);
      const { callers } = response.body as { readonly callers: readonly Caller[] };
      const received = callers.map(({ name, scopes }) => (scopes.length === 0 ? name : `${name}: ${scopes.join(' ')}`));
      expect([received, response.get('x-ratelimit-limit')]).to.deep.equal([names, String(limit)]);
    });

  for (const [id, sent, status, code, challenges] of denied)
    it(`deny ${sent} for ${id}, with ${String(status)} ${code}`, async () => {
      const response = await send(id, sent);
      expect(response.body).to.include({ code, status }).and.to.have.all.keys('code', 'message', 'status');
      expect([response.status, response.get('www-authenticate')]).to.deep.equal([status, challenges]);
    });

  it('are explained in the message', async () => {
    const messages = {
      byScope: 'Send your credentials: Authorization: Bearer <CREDENTIALS>.',
      byKey: 'Send your API key: Authorization: Bearer <API_KEY>.',
    };
    for (const [id, message] of Object.entries(messages))
      expect((await send(id as Id, 'nothing')).body).to.include({ message });
    const message = 'The credentials lack the scope `read`. Request new ones that have it.';
    expect((await send('byScope', 'a token to write')).body).to.include({ message });
  });

  it('cannot be checked while handlers fail: the response is 503, with the limits of the address', async () => {
    const response = await send('unavailable', 'nothing').expect(503);
    expect(response.headers).to.include({ 'retry-after': '1', 'x-ratelimit-limit': '60' });
    expect(service.reported).to.deep.equal([]);
  });

  it('of the mock server accept any credentials', async () => {
    const report = (error: unknown) => service.reported.push(error);
    const contract = { bytes: Buffer.of(), document };
    const dependencies = { contract, clock: Date.now, redactor: new KeyRedactor(document), report };
    const mock = await createMock(readConfig({ PORT: '0' }, document), dependencies);
    await mock.listen();
    closeLater(() => mock.server.close().closeAllConnections());
    const statuses: number[] = [];
    for (const headers of [{}, { 'X-API-Key': 'x' }, { 'X-API-Key': 'x', Authorization: 'Bearer x' }])
      statuses.push((await supertest(mock.server).get('/v1/byBoth').set(headers)).status);
    expect(statuses).to.deep.equal([401, 401, 200]);
  });
});

describe('requireSecuritySchemes', () => {
  for (const [title, name, message] of [
    ['a scheme has no handler', 'apiKey', 'The security scheme headerKey has no handler; add one to the service, or'],
    ['a handler has no scheme', 'apikey', 'The contract has no security scheme apikey.'],
  ] as const)
    it(`prevents the start if ${title}`, () => {
      const handlers = { ...(name === 'apikey' && noneFound(Object.keys(securitySchemes))), ...noneFound([name]) };
      expect(() => requireSecuritySchemes(document, handlers)).to.throw(StartError, message);
    });
});

function noneFound(names: readonly string[]): Record<string, SecurityHandler> {
  return Object.fromEntries(names.map((name) => [name, () => 'missing' as const]));
}
