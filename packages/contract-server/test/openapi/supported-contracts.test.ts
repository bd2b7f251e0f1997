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

interface Parameter {
  readonly in?: string;
  readonly name?: string;
  readonly [member: string]: unknown;
}

const responses = { 200: { description: 'Books' } };
const operation = (members: object = {}) => ({ operationId: 'listBooks', responses, ...members });
const withOperation = (members: object, path = '/books') => ({ paths: { [path]: { post: operation(members) } } });
const withParameter = (parameter: Parameter, template = parameter.in === 'path' ? '/{id}' : '/books') =>
  withOperation({ parameters: [{ in: 'query', name: 'tag', ...parameter }] }, template);
const withResponses = (status: string, members: object) =>
  withOperation({ responses: { [status]: { description: 'Books', ...members } } });
const withBody = (...types: string[]) =>
  withOperation({ requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) } });
const withSchema = (schema: object, openapi = '3.1.1') => ({ openapi, components: { schemas: { Book: schema } } });
/** References to parts of another operation, one of which contains itself, and a reference to a reference. */
const withReferences = (openapi: string) => {
  const tree = '#/paths/~1trees~1%7Bid%7D/post/requestBody/content/application~1json/schema';
  const json = { 'application/json': { schema: { type: 'object', properties: { child: { $ref: tree } } } } };
  const parameters = [{ in: 'path', name: 'id', required: true, schema: { $ref: '#/components/schemas/Id' } }];
  const planted = { 200: { description: 'A tree', content: { 'application/json': { schema: { $ref: tree } } } } };
  const plant = { operationId: 'plant', parameters, requestBody: { content: json }, responses: planted };
  const move = {
    operationId: 'move',
    parameters: [{ $ref: '#/paths/~1trees~1%7Bid%7D/post/parameters/0' }],
    requestBody: { $ref: '#/paths/~1trees~1%7Bid%7D/post/requestBody' },
    responses: { 200: { $ref: '#/paths/~1trees~1%7Bid%7D/post/responses/200' } },
  };
  const paths = { '/trees/{id}': { post: plant }, '/trees/{id}/garden': { put: move } };
  const schemas = { Id: { $ref: '#/components/schemas/Number' }, Number: { type: 'integer' } };
  return { openapi, paths, components: { schemas } };
};
const withScheme = (session: object) => ({
  ...withOperation({ security: [{ session: [] }] }),
  components: { securitySchemes: { session } },
});
const text = { type: 'string' };
const array = { schema: { type: 'array', items: text } };
const noExplode = { ...array, explode: false };
const filter = { name: 'filter', schema: { type: 'object', properties: { a: text } } };
const deepObject = { ...filter, style: 'deepObject' };
const emptyValue = { allowEmptyValue: true, schema: text };

/** An item of a cell in the table of the README of the package: contracts with it, refused if there is a message. */
interface Item {
  readonly contents: readonly object[];
  readonly message?: string;
}

const yes = (...contents: object[]): Item => ({ contents });
const no = (message: string, ...contents: object[]): Item => ({ contents, message });
const variant = { type: 'object', required: ['kind'], properties: { kind: { const: 'a' } } };
const path = { in: 'path', name: 'id', required: true, schema: text };
const scalar = (type: string) =>
  yes(...[{}, { in: 'header' }, path].map((place) => withParameter({ ...place, schema: { type } })));
/** The schema in another one, as generators write it beside a description. */
const inAllOf = (parameter: Parameter, openapi: string) => ({
  openapi,
  ...withParameter({ ...parameter, schema: { allOf: [{ $ref: '#/components/schemas/Value' }] } }),
  components: { schemas: { Value: parameter['schema'] } },
});
const noParameter = (problem: string, parameter: Parameter) => {
  const message = `The ${parameter.in ?? 'query'} parameter ${parameter.name ?? 'tag'} ${problem}`;
  const combined = ['3.0.4', '3.1.1'].map((openapi) => inAllOf(parameter, openapi));
  return no(message, withParameter(parameter), ...('schema' in parameter ? combined : []));
};
const format = (type: string, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, yes(withSchema({ type, format: name }))]));
const noKeyword = (name: string) =>
  no(`\`${name}\` is not supported; use $ref to a component or a file.`, withSchema({ [name]: 'book' }));
const noBody = (type: string) => {
  const message = `The body is ${type}, which is not supported; declare only application/json or a +json type.`;
  return no(message, withBody('application/json', type));
};
const noMixture = 'The path segment {id}.json mixes text and a parameter; make the parameter a whole segment.';
const tagId = 'https://api.example/tag';
const noId = `Can't resolve $ref: ${tagId} is not a file.`;
const noFile = "Can't resolve $ref: https://api.example/a.yaml is not a file.";
const credentials = 'The credentials of session are not sent in a header, which is not supported; use a header.';
const rootServers = 'Servers of a path or an operation are not supported; declare servers at the root.';

/** The items of each row. */
const table: Readonly<Record<string, Readonly<Record<string, Item>>>> = {
  OpenAPI: {
    '3.0': yes({ openapi: '3.0.4' }),
    '3.1': yes({ openapi: '3.1.0' }),
    '2.0': no('OpenAPI 2.0 is not supported; use 3.0 or 3.1.', { openapi: '2.0' }),
    '3.2': no('OpenAPI 3.2.0 is not supported; use 3.0 or 3.1.', { openapi: '3.2.0' }),
  },
  $ref: {
    'to a component': yes({
      ...withParameter({ schema: { $ref: '#/components/schemas/Tag' } }),
      components: { schemas: { Tag: text } },
    }),
    'to any part of the document': yes(withReferences('3.0.4'), withReferences('3.1.1')),
    'to a file': yes({ paths: { '/books': { $ref: 'books.yaml' } } }),
    'to another host': no(noFile, { paths: { '/books': { $ref: 'https://api.example/a.yaml' } } }),
    'to an $anchor': yes(withSchema({ items: { $ref: '#tag' }, $defs: { Tag: { $anchor: 'tag', ...text } } })),
    'to an $id': no(noId, withSchema({ items: { $ref: tagId }, $defs: { Tag: { $id: tagId } } })),
    $dynamicRef: noKeyword('$dynamicRef'),
  },
  operationId: {
    'any characters': yes(withOperation({ operationId: "list-books/all's" })),
    'none: GET /books': yes(withOperation({ operationId: undefined })),
  },
  servers: {
    'at the root': yes({ servers: [{ url: '/v1' }] }),
    'in a path': no(rootServers, { paths: { '/books': { servers: [{ url: '/v2' }], get: operation() } } }),
    'in an operation': no(rootServers, withOperation({ servers: [{ url: '/v2' }] })),
  },
  'path segments': {
    text: yes(withOperation({}, '/books/all')),
    'a parameter': yes(withParameter(path)),
    'an undeclared parameter': yes(withOperation({}, '/{id}')),
    'text with a parameter': no(noMixture, withParameter(path, '/{id}.json')),
    '/docs without a path prefix': no('The path /docs is used by the server itself', withOperation({}, '/docs')),
  },
  parameters: {
    ...Object.fromEntries(['string', 'integer', 'number', 'boolean'].map((type) => [type, scalar(type)])),
    enum: yes(withParameter({ schema: { enum: ['a', 1, true] } })),
    default: yes(withParameter({ schema: { ...text, default: 'a' } })),
    cookie: no('The cookie parameter id is not supported; use a header.', withParameter({ ...path, in: 'cookie' })),
    object: noParameter('is an object, which is not supported; use a parameter for each field.', filter),
    deepObject: noParameter('has the style deepObject, which is not supported; use form.', deepObject),
    content: noParameter('has content, which is not supported; use a schema.', { content: { 'text/csv': {} } }),
    allowEmptyValue: noParameter('has allowEmptyValue, which is not supported; use an enum with "".', emptyValue),
  },
  arrays: {
    'one query parameter per item': yes(withParameter(array), withParameter({ ...array, explode: true })),
    'in path': noParameter('is an array, which is supported in the query only.', { ...path, ...array }),
    'in header': noParameter('is an array, which is supported in the query only.', { in: 'header', ...array }),
    'explode: false': noParameter('has explode: false, which is not supported; repeat the parameter.', noExplode),
  },
  'request bodies': {
    'application/json': yes(withBody('application/json')),
    '+json types': yes(withBody('application/merge-patch+json')),
    optional: yes(withOperation({ requestBody: { required: false, content: { 'application/json': {} } } })),
    'several types': no(
      'The body has several media types; declare one.',
      withBody('application/json', 'application/vnd.book+json'),
    ),
    forms: noBody('application/x-www-form-urlencoded'),
    multipart: noBody('multipart/form-data'),
    XML: noBody('application/xml'),
  },
  responses: {
    'any media type, but the client reads only JSON': yes(withResponses('200', { content: { 'text/csv': {} } })),
    'none in 3.1': yes(withOperation({ responses: undefined })),
    '2XX': no('The status range 2XX is not supported; declare each status.', withResponses('2XX', {})),
  },
  numbers: {
    ...format('integer', 'int32', 'int64'),
    ...format('number', 'float', 'double'),
  },
  formats: {
    ...format('string', 'email', 'uri', 'uuid', 'date', 'date-time', 'time', 'ipv4', 'ipv6', 'hostname', 'byte'),
    'others as annotations': yes(withSchema({ ...text, format: 'colour' })),
  },
  null: {
    'nullable in 3.0': yes(withSchema({ ...text, nullable: true }, '3.0.4')),
    'type: [string, "null"] in 3.1': yes(withSchema({ type: ['string', 'null'] })),
    'nullable in 3.1': yes(withSchema({ ...text, nullable: true })),
  },
  schemas: {
    allOf: yes(withSchema({ allOf: [text] })),
    anyOf: yes(withSchema({ anyOf: [text] })),
    oneOf: yes(withSchema({ oneOf: [text] })),
    discriminator: yes(withSchema({ oneOf: [variant], discriminator: { propertyName: 'kind' } })),
    not: yes(withSchema({ not: { const: 1 } })),
    'any keyword in 3.1': yes(withSchema({ ...text, colour: 'red', enum: [] })),
    'patterns of JavaScript; others as annotations': yes(withSchema({ ...text, pattern: '(?i)a' })),
    'no properties': yes(withSchema({ type: 'object' })),
    readOnly: yes(withSchema({ properties: { id: { readOnly: true } } })),
    writeOnly: yes(withSchema({ properties: { key: { writeOnly: true } } })),
  },
  security: {
    HTTP: yes(withScheme({ type: 'http', scheme: 'basic' }), withScheme({ type: 'http', scheme: 'bearer' })),
    'API keys in headers': yes(withScheme({ type: 'apiKey', in: 'header', name: 'X-API-Key' })),
    'OAuth 2': yes(withScheme({ type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: {} } } })),
    'OpenID Connect': yes(withScheme({ type: 'openIdConnect', openIdConnectUrl: 'https://api.example/openid' })),
    'API keys in query or cookie': no(
      credentials,
      withScheme({ type: 'apiKey', in: 'query', name: 'key' }),
      withScheme({ type: 'apiKey', in: 'cookie', name: 'session' }),
    ),
    'any scheme that no operation requires': yes({
      components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'session' } } },
    }),
    mutualTLS: no(credentials, withScheme({ type: 'mutualTLS' })),
  },
  documentation: {
    callbacks: yes(withOperation({ callbacks: { done: { '{$request.body#/url}': { post: { responses } } } } })),
    links: yes(withResponses('200', { links: { self: { operationId: 'listBooks' } } })),
    webhooks: yes({ webhooks: { created: { post: { responses } } } }),
    'webhooks only': yes({ paths: undefined, webhooks: { created: { post: { responses } } } }, { paths: {} }),
    'any extension': yes({
      'x-a': { $ref: '#/none' },
      ...withOperation({ 'x-codeSamples': { lang: { $ref: 'a.js' } } }),
    }),
  },
};

/** The rows of the table: the part, and the items that are supported and refused. */
const [, section = ''] = readFileSync('packages/contract-server/README.md', 'utf8').split(
  '\n## What a contract can contain\n',
);
const rows = [...section.matchAll(/^\| (.+?) *\| (.+?) *\| (.*?) *\|$/gm)]
  .map(([, ...cells]) => cells.map((cell) => cell.replaceAll('`', '')))
  .slice(1)
  .filter(([part]) => !part?.startsWith('---'));

async function load(content: object) {
  const directory = temporaryDirectory();
  const document = { openapi: '3.1.1', info: { title: 'Library', version: '1.0.0' }, ...withOperation({}), ...content };
  writeFileSync(join(directory, 'api.yaml'), stringify(document));
  writeFileSync(join(directory, 'books.yaml'), stringify({ get: operation() }));
  return loadDocument(pathToFileURL(join(directory, 'api.yaml')));
}

describe('the table of what a contract can contain', () => {
  it('has each item that is tried, in the right column', () => {
    const itemsOf = (items: Readonly<Record<string, Item>>, isRefused: boolean) =>
      Object.keys(items).filter((item) => (items[item]?.message !== undefined) === isRefused);
    expect(rows).to.deep.equal(
      Object.entries(table).map(([part, items]) => [
        part,
        itemsOf(items, false).join('; '),
        itemsOf(items, true).join('; '),
      ]),
    );
  });

  for (const [part, items] of Object.entries(table)) {
    for (const [item, { contents, message }] of Object.entries(items))
      it(`${message === undefined ? 'supports' : 'refuses'} ${part}: ${item}`, async () => {
        for (const content of contents) {
          if (message === undefined) await startApi((await load(content)).document);
          else {
            const error = await errorOf(load(content));
            expect(error).to.be.instanceOf(ContractError);
            expect((error as ContractError).message)
              .to.match(/^\S*api\.yaml:[1-9]\d*:[1-9]\d* /)
              .and.contain(message);
          }
        }
      });
  }
});
