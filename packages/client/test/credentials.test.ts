import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { contractOf } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { type AnyContract, noValues } from '@contract-server/test-support/clients/any-contract.js';
import { expect } from 'chai';
import { extensionTypes } from 'contract-server/generate/extension-types.js';
import { type Credential, createClient, type SecurityScheme } from '#dist/index.js';

const schemes = {
  token: { type: 'http', scheme: 'bearer' },
  login: { type: 'http', scheme: 'basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
} as const satisfies Readonly<Record<string, SecurityScheme>>;
const contract = { ...noValues, schemes };
type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** What a server receives from a client with credentials, with a query, a cookie and a body of its own. */
type Received = Pick<IncomingMessage, 'url' | 'headers'> & { readonly body: string };
const sent = { query: { limit: 1 }, cookie: { theme: 'dark' } };

const table: readonly (readonly [credentials: Readonly<Record<string, Credential>>, expected: object])[] = [
  [{}, {}],
  [{ token: 'abc' }, { authorization: 'Bearer abc' }],
  [{ login: { username: 'Ädä', password: 'a:b' } }, { authorization: `Basic ${btoa('Ã\x84dÃ¤:a:b')}` }],
  [{ header: 'abc' }, { 'x-key': 'abc' }],
  [{ query: 'a&b' }, { url: '/pets?limit=1&api%20key=a%26b' }],
  [{ cookie: 'a;b' }, { cookie: 'theme=dark; session=a%3Bb' }],
  [
    { token: 'abc', header: 'def' },
    { authorization: 'Bearer abc', 'x-key': 'def' },
  ],
];

describe('the credentials of a client', () => {
  let server: Server;
  let baseUrl = '';
  const received: Received[] = [];
  before(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ url: request.url, headers: request.headers, body });
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  after(() => server.close().closeAllConnections());
  beforeEach(() => (received.length = 0));

  for (const [credentials, expected] of table)
    it(`are sent as their schemes say: ${Object.keys(credentials).join(' and ') || 'none'}`, async () => {
      const hooked: string[] = [];
      const beforeRequest = ({ request }: { readonly request: Request }) =>
        hooked.push(request.url, ...request.headers.keys());
      const options = { baseUrl, credentials, hooks: { beforeRequest } };
      const call = createClient<AnyContract>({ ...options, contract }).request as unknown as Call;
      await call('put', '/pets', { params: sent, body: { name: 'Rex' } });
      const [{ url = '', headers, body } = expect.fail()] = received;
      const { authorization, cookie, 'x-key': key } = headers;
      const found = { authorization, cookie, 'x-key': key, url, body };
      const none = { authorization: undefined, 'x-key': undefined };
      const plain = { cookie: 'theme=dark', url: '/pets?limit=1', body: '{"name":"Rex"}' };
      expect(found).to.deep.equal({ ...none, ...plain, ...expected });
      expect(hooked).not.to.include.members(['authorization']);
      expect(hooked).to.include(`${baseUrl}/pets?limit=1`).and.not.to.include('x-key');
    });

  for (const [credentials, message] of [
    [{ other: 'abc' }, 'There is no security scheme other; there are: token, login, header, query, cookie.'],
    [{ token: '' }, 'token must be visible ASCII characters. Check the variable that contains it.'],
    [{ header: 'a\n' }, 'header must be visible ASCII characters.'],
    [{ login: 'abc' }, 'login must have a username without a colon, and a password.'],
    [{ login: { username: 'a:b', password: '' } }, 'login must have a username without a colon'],
  ] as const)
    it(`are refused: ${message}`, () => {
      expect(() => createClient<AnyContract>({ baseUrl, contract, credentials })).to.throw(message);
    });

  it('have schemes that `generate` writes', () => {
    const securitySchemes = { ...schemes, oauth: { type: 'oauth2' }, tls: { type: 'mutualTLS' } };
    const contract = { openapi: '3.1.1', info: { version: '1' }, 'x-error-codes': {}, components: { securitySchemes } };
    const types = extensionTypes(contractOf(contract as unknown as ContractDocument));
    const [, written] = /readonly schemes: \{\n([^]*?) {2}\};/.exec(types) ?? [];
    expect(written?.trim().split(/\n\s*/)).to.deep.equal([
      "readonly token: { readonly type: 'http'; readonly scheme: 'bearer' };",
      "readonly login: { readonly type: 'http'; readonly scheme: 'basic' };",
      "readonly header: { readonly type: 'apiKey'; readonly in: 'header'; readonly name: 'X-Key' };",
      "readonly query: { readonly type: 'apiKey'; readonly in: 'query'; readonly name: 'api key' };",
      "readonly cookie: { readonly type: 'apiKey'; readonly in: 'cookie'; readonly name: 'session' };",
      "readonly oauth: { readonly type: 'http'; readonly scheme: 'bearer' };",
    ]);
  });
});
