import { asciiText, pathText, quotedString } from '@contract-server/core/lib/header-text.js';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import { expect } from 'chai';
import express from 'express';
import fc from 'fast-check';
import { pino } from 'pino';
import supertest from 'supertest';
import { createRouter } from '#src/index.js';
import { challengesOf, linksOf, uriOf } from './header-values.js';

const awkward = fc.constantFrom(
  ...['–', '“', '’', '\n', '\r', '"', '\\', '本', 'é', '\u0001', '\u2028', ', ', ';', '<>'],
);
/** Any text but one with half a surrogate pair, which UTF-8 cannot express. */
const anyText = fc.string({ unit: fc.oneof(awkward, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })) });
const printable = fc.string({ unit: 'grapheme-ascii' });

describe('text of a header', () => {
  it('is printable ASCII for any text, and unchanged if it was', () => {
    fc.assert(fc.property(anyText, (text) => void expect(asciiText(text)).to.match(/^[ -~]*$/)));
    fc.assert(fc.property(printable, (text) => void expect(asciiText(text)).to.equal(text)));
  });

  it('is one quoted string for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const [challenge, ...others] = challengesOf(`Bearer realm=${quotedString(text)}, error="x"`);
        expect(challenge?.parameters).to.deep.equal({ realm: asciiText(text), error: 'x' });
        expect(others).to.deep.equal([]);
      }),
    );
  });

  it('stays readable', () => {
    for (const [text, sent] of [
      ['Payments API – internal', 'Payments API - internal'],
      ['Café “Zoë’s”…', "Cafe 'Zoe's'..."],
      ['Price™ \u00a05\u00a0€', 'PriceTM  5 ?'],
      ['two\r\nlines', 'two lines'],
      ['決済 API', '? API'],
      ['\ud800', '?'],
    ] as const)
      expect(asciiText(text)).to.equal(sent);
  });

  it('in a path is what a URL parser sends, and is encoded once', () => {
    const path = anyText.map((text) => `/a${text.replace(/[\n\r\t\\?#/.%]/g, '')}z`);
    fc.assert(
      fc.property(path, (text) => {
        expect(pathText(text).replaceAll('^', '%5E')).to.equal(
          new URL(text, 'http://a').pathname.replaceAll('^', '%5E'),
        );
        expect(pathText(pathText(text))).to.equal(pathText(text));
        uriOf(pathText(text));
      }),
    );
  });
});

/** The texts of a contract and of its clients that become headers. */
interface Texts {
  readonly title: string;
  readonly realm: string;
  readonly scope: string;
  readonly keyName: string;
  readonly path: string;
  readonly mediaType: string;
  readonly parameter: string;
  readonly id: string;
}

const usual: Texts = {
  ...{ title: 'Things', realm: 'things', scope: 'read', keyName: 'key', path: '/current', id: '7' },
  ...{ mediaType: 'text/csv', parameter: 'q' },
};

function contractWith({ title, realm, scope, keyName, path, mediaType, parameter }: Texts): object {
  const flows = { clientCredentials: { tokenUrl: '/token', scopes: { [scope]: 'A scope' } } };
  const responses = { 200: { description: 'Done', content: { [mediaType]: { schema: { type: 'string' } } } } };
  const created = { 201: { description: 'Created' } };
  const id = { in: 'path', name: 'id', required: true, schema: { type: 'string' } };
  const query = { in: 'query', name: parameter, schema: { type: 'string' } };
  const body = { required: true, content: { 'application/json': { schema: { type: 'string' } } } };
  const old = { deprecated: true, 'x-sunset': '2090-12-05', 'x-successor': 'current' };
  return {
    ...{ openapi: '3.1.1', info: { title, version: '1.0.0' } },
    paths: {
      [path]: { get: { operationId: 'current', responses } },
      '/old': { get: { operationId: 'old', security: [{ bearer: [] }, { inQuery: [] }], responses, ...old } },
      '/scoped': { get: { operationId: 'scoped', security: [{ oauth: [scope] }], responses } },
      '/typed': { post: { operationId: 'typed', requestBody: { content: { [mediaType]: {} } }, responses } },
      '/things': { post: { operationId: 'create', requestBody: body, responses: created } },
      '/things/{id}': { get: { operationId: 'thing', parameters: [id, query], responses } },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        inQuery: { type: 'apiKey', in: 'query', name: keyName },
        oauth: { type: 'oauth2', flows, 'x-realm': realm },
      },
    },
  };
}

interface Context {
  readonly links: { readonly to: (id: string, path?: object, query?: object) => string };
}

/** Serves the contract with the router in an Express application. */
async function serve(texts: Texts) {
  const log = new LogLines();
  const done = () => Promise.resolve({ status: 200, body: 'done' });
  const handlers = {
    ...{ current: done, old: done, scoped: done, typed: done },
    create: ({ body }: { body: string }, { links }: Context) => {
      const headers = { Location: links.to('thing', { id: body }, { [texts.parameter]: body }) };
      return Promise.resolve({ status: 201, headers });
    },
    thing: ({ path, query }: { path: { id: string }; query: Readonly<Record<string, string>> }) =>
      Promise.resolve({ status: 200, body: JSON.stringify([path.id, query[texts.parameter]]) }),
  };
  const caller = () => ({ id: 'ann', scopes: [] });
  const router = await createRouter<ContractTypes>()({
    contract: contractWith(texts) as never,
    handlers: handlers as object,
    security: { bearer: caller, inQuery: caller, oauth: caller },
    logger: pino(log),
  });
  return { agent: supertest(express().use(router)), log };
}

/** Sends a request for each header, which must be one value with the text. */
async function checkHeaders(texts: Texts): Promise<void> {
  const { agent, log } = await serve(texts);
  const header = (response: supertest.Response, name: string) => String(response.get(name));

  const realm = asciiText(texts.title.trim());
  const unauthorized = await agent.get('/old').expect(401).expect('Content-Type', 'application/json');
  expect(challengesOf(header(unauthorized, 'www-authenticate'))).to.deep.equal([
    { scheme: 'Bearer', parameters: { realm } },
    { scheme: 'ApiKey', parameters: { realm, in: 'query', name: asciiText(texts.keyName) } },
  ]);
  const successor = String(linksOf(header(unauthorized, 'link'))['successor-version']);
  const found = await agent.get(successor).expect(200);
  expect(header(found, 'content-type')).to.equal(`${texts.mediaType}; charset=utf-8`);

  const forbidden = await agent.get('/scoped').set('Authorization', 'Bearer x').expect(403);
  const [ownRealm, scope] = [asciiText(texts.realm.trim()), asciiText(texts.scope)];
  const parameters = { realm: ownRealm, error: 'insufficient_scope', scope };
  expect(challengesOf(header(forbidden, 'www-authenticate'))).to.deep.equal([{ scheme: 'Bearer', parameters }]);

  const unsupported = await agent.post('/typed').set('Content-Type', 'x/y').send('x').expect(415);
  expect(header(unsupported, 'accept')).to.equal(texts.mediaType);

  const created = await agent.post('/things').type('json').send(JSON.stringify(texts.id));
  if (created.status === 201) {
    const thing = await agent.get(uriOf(header(created, 'location'))).expect(200);
    expect(JSON.parse(thing.text)).to.deep.equal([texts.id, texts.id]);
  } else {
    expect(created.body).to.include({ code: 'invalid_request', status: 400 });
    expect(texts.id).to.match(/^(?:\.|%2e){0,2}$/i);
  }
  expect(log.lines).to.deep.equal([]);
}

describe('a header with text of the contract or of a client', () => {
  const named: Readonly<Record<string, Partial<Texts>>> = {
    'an en dash in the title': { title: 'Payments API – internal' },
    'a line break in the title': { title: 'Payments\nAPI\n' },
    'quotes in the title and the realm': { title: 'The "best" \\ API', realm: '"' },
    'Chinese in the title and the realm': { title: '決済 API', realm: '決済' },
    'quotes in a scope': { scope: 'read "all"' },
    'characters in a scope that RFC 6750 does not allow': { scope: 'lesen:büro–本\\' },
    'any name of a key in the query': { keyName: 'clé "a" \\ 本\n' },
    'Chinese in a path': { path: '/本/–' },
    'syntax of Link in a path': { path: '/a>; rel="next", <b' },
    'a control character in a path': { path: '/a\u0001\u007f' },
    'a percent sign in a path': { path: '/a%20b' },
    'syntax in the parameter of a media type': { mediaType: 'text/csv; title="a, \\"b\\"; c"' },
    'a text that is no media type': { mediaType: 'text/plain, text/csv' },
    'the name of a query parameter': { parameter: 'filter[本]&=#' },
    'Chinese from a client': { id: '本/../?#' },
    'no text from a client': { id: '' },
    'a dot from a client': { id: '.' },
    'two dots from a client': { id: '..' },
    'an encoded dot from a client': { id: '%2E' },
  };
  for (const [title, texts] of Object.entries(named))
    it(`is one value with ${title}`, () => checkHeaders({ ...usual, ...texts }));

  it('is one value with any text', async () => {
    const segment = anyText.map((text) => `/a${text.replace(/[/?#{}%]/g, '')}`);
    const quoted = printable.map((text) => `text/csv; title="${text.replace(/["\\]/g, '\\$&')}"`);
    const text = anyText.filter((each) => each !== '');
    const texts = fc.record<Texts>({
      ...{ title: text, realm: text, scope: anyText.map((each) => `s${each}`), keyName: text, id: anyText },
      ...{ path: segment, mediaType: quoted, parameter: text.map((each) => `q${each}`) },
    });
    await fc.assert(fc.asyncProperty(texts, checkHeaders), { numRuns: 20 });
  }).timeout(60_000);
});
