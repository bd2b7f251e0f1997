import { echoApp, echoContract } from '@contract-server/test-support/contract/echo-app.js';
import { expect } from 'chai';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { middleware } from 'express-openapi-validator';
import supertest from 'supertest';
import { parse } from 'yaml';

const integer = { type: 'integer' };
const integers = { type: 'array', items: integer };
const fields = { type: 'object', additionalProperties: false, properties: { R: integer, name: { type: 'string' } } };

/** What the peer does instead, and why it differs. */
interface Deviation {
  readonly value: unknown;
  readonly reason: string;
}
type Case = readonly [sent: string, isValid: boolean, value?: unknown, deviation?: Deviation];

const absent: Deviation = { value: {}, reason: 'the peer passes an empty object in place of none' };
const text: Deviation = { value: '7', reason: 'the peer validates a cookie as a number, and passes its text' };

/** The parameter `p`, and what both must do with a query, or with a cookie. */
const agreed: Readonly<Record<string, readonly [parameter: object, ...cases: Case[]]>> = {
  'arrays with explode: false': [
    { in: 'query', explode: false, schema: integers },
    ['p=1,2', true, [1, 2]],
    ['p=1', true, [1]],
    ['p=1,x', false],
    ['q=1', false],
    ['', true],
  ],
  'exploded arrays': [{ in: 'query', schema: integers }, ['p=1&p=2', true, [1, 2]], ['p=1', true, [1]], ['p=x', false]],
  deepObject: [
    { in: 'query', style: 'deepObject', schema: fields },
    ['p[R]=1&p[name]=a', true, { R: 1, name: 'a' }],
    ['p[R]=x', false],
    ['p[x]=1', false],
    ['', true, undefined, absent],
  ],
  'objects with explode: false': [
    { in: 'query', explode: false, schema: fields },
    ['p=R,1,name,a', true, { R: 1, name: 'a' }],
    ['p=R,x', false],
  ],
  JSON: [
    { in: 'query', content: { 'application/json': { schema: fields } } },
    ['p=%7B%22R%22%3A1%7D', true, { R: 1 }],
    ['p=%7B%22R%22%3A%22x%22%7D', false],
  ],
  cookies: [{ in: 'cookie', required: true, schema: integer }, ['p=7', true, 7, text], ['p=x', false], ['q=7', false]],
};

/** The peer reads parameters into the request of Express. */
function peerApp(contract: string): Express {
  const app = express();
  app.set('query parser', 'extended');
  app.use((request, _response, next) => {
    const [, name, value = ''] = /(\w+)=(.*)/.exec(request.headers.cookie ?? '') ?? [];
    request.cookies = name === undefined ? {} : { [name]: value };
    next();
  });
  app.use(middleware({ apiSpec: parse(contract) as never, validateRequests: true, validateResponses: false }));
  app.get('/items', ({ query, cookies }, response) => void response.json({ query, cookie: cookies as object }));
  const onError: ErrorRequestHandler = (
    { status = 500, message }: { status?: number; message: string },
    _request,
    response,
    _next,
  ) => void response.status(status).json({ message });
  return app.use(onError);
}

describe('parameters, compared with express-openapi-validator', () => {
  for (const [title, [parameter, ...cases]] of Object.entries(agreed))
    it(`have the same values and errors, except where the table states a reason: ${title}`, async () => {
      const contract = echoContract([{ name: 'p', ...parameter }]).replace('3.1.1', '3.0.4');
      const { in: place } = parameter as { readonly in: 'query' | 'cookie' };
      for (const [name, app] of [
        ['contract-server', await echoApp(contract)],
        ['express-openapi-validator', peerApp(contract)],
      ] as const)
        for (const [sent, isValid, value, deviation] of cases) {
          const request = supertest(app).get(place === 'query' ? `/items?${sent}` : '/items');
          const isPeer = name !== 'contract-server';
          const response = await (place === 'query' ? request : request.set('Cookie', sent));
          const body = response.body as Readonly<Record<string, { readonly p?: unknown } | undefined>>;
          const differs = isPeer && deviation !== undefined;
          const expected = [isValid ? 200 : 400, differs ? deviation.value : value];
          const title = `${name}: ${sent}${differs ? `, because ${deviation.reason}` : ''}`;
          expect([response.status, body[place]?.p], title).to.deep.equal(expected);
        }
    });
});
