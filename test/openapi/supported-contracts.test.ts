import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { ContractError } from '#src/openapi/contract-error.js';
import { loadDocument } from '#src/openapi/load-document.js';
import { startApi } from '../support/contract/start-api.js';
import { errorOf } from '../support/error-of.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const responses = { 200: { description: 'Books' } };
const operation = (members: object = {}) => ({ operationId: 'listBooks', responses, ...members });
const withOperation = (members: object, path = '/books') => ({ paths: { [path]: { post: operation(members) } } });
const withParameter = (parameter: object, path?: string) =>
  withOperation({ parameters: [{ in: 'query', name: 'tag', ...parameter }] }, path);
const withBody = (...types: string[]) =>
  withOperation({ requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) } });
const withSchema = (schema: object, openapi = '3.1.1') => ({ openapi, components: { schemas: { Book: schema } } });
const withScheme = (session: object) => ({
  ...withOperation({ security: [{ session: [] }] }),
  components: { securitySchemes: { session } },
});
const text = { type: 'string' };
const tags = { name: 'tags', schema: { type: 'array', items: text } };
const filter = { name: 'filter', schema: { type: 'object', properties: { a: text } } };

/** What a contract contains, by the row of the table in docs/new-service.md. */
const contents: Readonly<Record<string, readonly object[]>> = {
  'OpenAPI 3.0 and 3.1': [{ openapi: '3.0.4' }, { openapi: '3.1.0' }],
  'OpenAPI 2.0 and 3.2': [{ openapi: '2.0' }],
  'references to files': [{ paths: { '/books': { $ref: 'books.yaml' } } }],
  'references to other hosts': [{ paths: { '/books': { $ref: 'https://api.example/a.yaml' } } }],
  'operations without operationId': [withOperation({ operationId: undefined })],
  'operationIds with any characters': [withOperation({ operationId: "list-books/all's" })],
  'servers of a path or an operation': [withOperation({ servers: [{ url: '/v2' }] })],
  'path segments of text and a parameter': [
    withParameter({ in: 'path', name: 'id', required: true, schema: text }, '/{id}.json'),
  ],
  'parameters in path, query and header': ['string', 'integer', 'number', 'boolean'].flatMap((type) => [
    withParameter({ schema: { type } }),
    withParameter({ in: 'header', schema: { type } }),
    withParameter({ in: 'path', required: true, schema: { type } }, '/{tag}'),
  ]),
  'arrays in the query': [withParameter(tags), withParameter({ ...tags, style: 'form', explode: true })],
  'arrays in path and header': [withParameter({ ...tags, in: 'header' })],
  'arrays with explode: false': [withParameter({ ...tags, explode: false })],
  'objects as parameters': [withParameter(filter)],
  'style deepObject': [withParameter({ ...filter, style: 'deepObject' })],
  'parameters with content': [withParameter({ name: 'filter', content: { 'application/json': { schema: text } } })],
  allowEmptyValue: [withParameter({ allowEmptyValue: true, schema: text })],
  'cookie parameters': [withParameter({ in: 'cookie', name: 'session', schema: text })],
  'bodies of `application/json` or a `+json` type': ['application/json', 'application/merge-patch+json'].map((type) =>
    withBody(type),
  ),
  'bodies of several media types': [withBody('application/json', 'application/vnd.book+json')],
  'forms and multipart bodies': [withBody('multipart/form-data')],
  'XML bodies': [withBody('application/json', 'application/xml')],
  'responses of any media type': [
    withOperation({ responses: { 200: { description: 'x', content: { 'text/csv': {} } } } }),
  ],
  'status ranges of success': [withOperation({ responses: { '2XX': { description: 'x' } } })],
  'int32 and int64': ['int32', 'int64'].map((format) => withSchema({ type: 'integer', format })),
  'number, float and double': [{}, { format: 'float' }].map((format) => withSchema({ type: 'number', ...format })),
  'formats email, uri, uuid, date, date-time, time, ipv4, ipv6, hostname, byte': [
    withSchema({ ...text, format: 'colour' }),
  ],
  null: [withSchema({ ...text, nullable: true }, '3.0.4'), withSchema({ type: ['string', 'null'] })],
  'nullable in OpenAPI 3.1': [withSchema({ ...text, nullable: true })],
  'allOf, anyOf, oneOf, not': ['allOf', 'anyOf', 'oneOf'].map((name) =>
    withSchema({ [name]: [text], not: { const: 1 } }),
  ),
  'objects without a schema': [withSchema({ type: 'object' })],
  'readOnly and writeOnly': [withSchema({ properties: { id: { readOnly: true }, key: { writeOnly: true } } })],
  '$id, $anchor, $dynamicRef': [withSchema({ $id: 'https://api.example/book' })],
  'HTTP authentication, API keys in a header, OAuth 2, OpenID Connect, with scopes': [
    withScheme({ type: 'http', scheme: 'basic' }),
    withScheme({ type: 'apiKey', in: 'header', name: 'X-API-Key' }),
    withScheme({ type: 'openIdConnect', openIdConnectUrl: 'https://api.example/.well-known/openid-configuration' }),
  ],
  'API keys in the query or a cookie, client certificates': [
    withScheme({ type: 'apiKey', in: 'query', name: 'key' }),
    withScheme({ type: 'apiKey', in: 'cookie', name: 'session' }),
    withScheme({ type: 'mutualTLS' }),
  ],
  'callbacks, links and webhooks': [{ webhooks: { created: { post: { responses } } } }],
};

const table = readFileSync('docs/new-service.md', 'utf8');
const rows = [...table.matchAll(/^\| (.+?) +\| (.+?) +\| (.*?) *\|$/gm)]
  .slice(1)
  .filter(([, part]) => !part?.startsWith('---'));

async function load(content: object) {
  const directory = temporaryDirectory();
  const document = { openapi: '3.1.1', info: { title: 'Library', version: '1.0.0' }, ...withOperation({}), ...content };
  writeFileSync(join(directory, 'api.yaml'), stringify(document));
  writeFileSync(join(directory, 'books.yaml'), stringify({ get: operation() }));
  return loadDocument(pathToFileURL(join(directory, 'api.yaml')));
}

describe('the table of what a contract can contain', () => {
  it('has a row for each content that is tried', () => {
    expect(rows.map(([, part]) => part)).to.have.members(Object.keys(contents));
  });

  for (const [, part = '', support = '', message = ''] of rows) {
    it(`${support === 'no' ? 'refuses' : 'supports'} ${part}`, async () => {
      for (const content of contents[part] ?? []) {
        if (support === 'no') {
          const error = await errorOf(load(content));
          expect(error).to.be.instanceOf(ContractError);
          expect((error as ContractError).message)
            .to.match(/^\S*api\.yaml:[1-9]\d*:[1-9]\d* /)
            .and.contain(message);
        } else await startApi((await load(content)).document);
      }
    });
  }
});
