import { readFileSync } from 'node:fs';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { withReferences } from '@contract-server/test-support/contract/reference-contract.js';
import { startApi } from '@contract-server/test-support/contract/start-api.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { ContractError } from '#dist/contract/contract-error.js';
import { loadDocument } from '#dist/load/load-document.js';
import {
  inAllOf,
  operation,
  type Parameter,
  responses,
  text,
  withBody,
  withOperation,
  withParameter,
  withResponses,
  withSchema,
  withScheme,
} from './contract-parts.js';

const array = { schema: { type: 'array', items: text } };
const noExplode = { ...array, explode: false };
const object = { name: 'filter', schema: { type: 'object', properties: { a: text } } };
const deepObject = { ...object, style: 'deepObject' };
const emptyValue = { allowEmptyValue: true, schema: text };
const json = { content: { 'application/json': { schema: object.schema } } };
/** The parameter with its schema as it is, and in another one. */
const withAny = (...parameters: Parameter[]) =>
  yes(
    ...parameters.flatMap((parameter) => [
      withParameter(parameter),
      ...['3.0.4', '3.1.1'].map((version) => inAllOf(parameter, version)),
    ]),
  );

/** A part of a contract, as `docs/contracts.md` of the package names it: refused if there is a message. */
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
const noParameter = (problem: string, parameter: Parameter) => {
  const message = `The ${parameter.in ?? 'query'} parameter ${parameter.name ?? 'tag'} ${problem}`;
  const combined = ['3.0.4', '3.1.1'].map((openapi) => inAllOf(parameter, openapi));
  return no(message, withParameter(parameter), ...('schema' in parameter ? combined : []));
};
const format = (type: string, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, yes(withSchema({ type, format: name }))]));
const noDynamic = '`$dynamicRef` is not supported; use $ref to a component or a file.';
const adjacent = 'The path segment {id}{id} has two parameters without text between them, which is ambiguous.';
const tagId = 'https://api.example/tag';
const noId = `Can't resolve $ref: ${tagId} is a URL; refer to a file.`;
const noFile = "Can't resolve $ref: https://api.example/a.yaml is a URL; refer to a file.";
const beyondAscii =
  'The media type text/plain; title="–" cannot be sent in a header; use only printable ASCII characters.';
const noCertificate = 'The operation requires a client certificate (mutualTLS), which is not supported;';

/** What is tried. The document lists everything that is refused, and what is supported if readers may doubt it. */
const table: Readonly<Record<string, Readonly<Record<string, Item>>>> = {
  OpenAPI: {
    '3.0': yes({ openapi: '3.0.4' }),
    '3.1': yes({ openapi: '3.1.0' }),
    '3.2': yes({ openapi: '3.2.0' }),
    '2.0': no('OpenAPI 2.0 is not supported; use 3.0, 3.1 or 3.2.', { openapi: '2.0' }),
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
    $dynamicRef: no(noDynamic, withSchema({ $dynamicRef: 'book' })),
  },
  operationId: {
    'any characters': yes(withOperation({ operationId: "list-books/all's" })),
    'none: GET /books': yes(withOperation({ operationId: undefined })),
  },
  servers: {
    'at the root': yes({ servers: [{ url: '/v1' }] }),
    'in a path': yes({ paths: { '/books': { servers: [{ url: '/v2' }], get: operation() } } }),
    'in an operation': yes(withOperation({ servers: [{ url: '/v2' }] })),
  },
  'path segments': {
    text: yes(withOperation({}, '/books/all'), withOperation({}, '/docs')),
    'a parameter': yes(withParameter(path)),
    'an undeclared parameter': yes(withOperation({}, '/{id}')),
    '{id}.json': yes(withParameter(path, '/{id}.json')),
    '{a}{b}': no(adjacent, withParameter(path, '/{id}{id}')),
  },
  parameters: {
    ...Object.fromEntries(['string', 'integer', 'number', 'boolean'].map((type) => [type, scalar(type)])),
    enum: yes(withParameter({ schema: { enum: ['a', 1, true] } })),
    default: yes(withParameter({ schema: { ...text, default: 'a' } })),
    cookie: yes(withParameter({ ...path, in: 'cookie' })),
    JSON: yes(
      withParameter(json),
      withParameter({ ...json, in: 'header' }),
      withParameter({ ...path, ...json, schema: undefined }),
    ),
    allowEmptyValue: yes(withParameter(emptyValue)),
    'other content': noParameter('is text/csv, which is not supported; use JSON.', { content: { 'text/csv': {} } }),
    label: noParameter('has the style label, which is not supported; use simple.', { ...path, style: 'label' }),
    matrix: noParameter('has the style matrix, which is not supported; use simple.', { ...path, style: 'matrix' }),
  },
  'arrays and objects': {
    'form, exploded or not': withAny(array, { ...array, explode: true }, noExplode, object, {
      ...object,
      explode: false,
    }),
    spaceDelimited: withAny({ ...array, style: 'spaceDelimited' }),
    pipeDelimited: withAny({ ...array, style: 'pipeDelimited' }),
    deepObject: withAny(deepObject),
    'simple in path and header': withAny(
      { ...path, ...array },
      { ...path, schema: object.schema },
      { in: 'header', ...array },
    ),
    'exploded in a cookie': noParameter('is an array or an object, which is supported with explode: false only.', {
      in: 'cookie',
      ...array,
    }),
  },
  'request bodies': {
    'application/json': yes(withBody('application/json')),
    '+json types': yes(withBody('application/merge-patch+json')),
    'JSON lines': yes(withOperation({ requestBody: { content: { 'application/x-ndjson': array } } })),
    forms: yes(withBody('application/x-www-form-urlencoded')),
    'multipart with files': yes(withBody('multipart/form-data')),
    text: yes(withBody('text/plain'), withBody('application/xml')),
    files: yes(withBody('application/octet-stream'), withBody('image/*')),
    'several types, ranges, parameters': yes(withBody('application/json; a=b', 'application/json', 'text/*', '*/*')),
    optional: yes(withOperation({ requestBody: { required: false, content: { 'application/json': {} } } })),
    'no media types': no('The body has no media types; declare one.', withBody()),
    'media types beyond ASCII': no(beyondAscii, withBody('application/json', 'text/plain; title="–"')),
  },
  responses: {
    'any media type': yes(withResponses('200', { content: { 'text/csv': {} } })),
    '2XX': yes(withResponses('2XX', {})),
    'default alone': yes(withResponses('default', {})),
    none: yes(withOperation({ responses: undefined })),
    'ranges of media types': yes(
      withResponses('200', { content: { '*/*': {}, 'text/*': {}, 'application/*+json': {} } }),
    ),
    'media types beyond ASCII': no(beyondAscii, withResponses('200', { content: { 'text/plain; title="–"': {} } })),
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
    'API keys in header, query or cookie': yes(
      ...['header', 'query', 'cookie'].map((place) => withScheme({ type: 'apiKey', in: place, name: 'key' })),
      ...['clé', 'a b=c;'].map((name) => withScheme({ type: 'apiKey', in: 'query', name })),
      withScheme({ type: 'apiKey', in: 'cookie', name: 'session[id] 1' }),
    ),
    'OAuth 2': yes(withScheme({ type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: {} } } })),
    'OpenID Connect': yes(withScheme({ type: 'openIdConnect', openIdConnectUrl: 'https://api.example/openid' })),
    'mutualTLS without an alternative': no(noCertificate, withScheme({ type: 'mutualTLS' })),
    'names that clients cannot send': no(
      'has a name that clients cannot send; use another one.',
      ...['my key', 'schlüssel', ''].map((scheme) => withScheme({ type: 'http', scheme })),
      ...['X Key', 'X-Schlüssel', ''].map((name) => withScheme({ type: 'apiKey', in: 'header', name })),
      ...['a=b', 'a;b', ' a', 'clé', ''].map((name) => withScheme({ type: 'apiKey', in: 'cookie', name })),
    ),
    'any scheme that no operation requires': yes({
      components: { securitySchemes: { session: { type: 'mutualTLS' } } },
    }),
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

const [, section = ''] = readFileSync('packages/contract-server/docs/contracts.md', 'utf8').split('\n## Support\n');
const itemsIn = (list: string) => list.replace(/\. *$/, '').split('; ').filter(Boolean);
/** The items of the document that are supported and refused, by the part of a contract. */
const documented = new Map(
  [...section.matchAll(/^- \*\*(.+?):\*\* (.+(?:\n {2}.+)*)/gm)].map(([, part = '', text = '']) => {
    const [supported = '', refused = ''] = text.replaceAll('`', '').replaceAll(/\s+/g, ' ').split('Refused: ');
    return [part, { supported: itemsIn(supported), refused: itemsIn(refused) }];
  }),
);

function load(content: object) {
  const info = { title: 'Library', version: '1.0.0' };
  const document = { openapi: '3.1.1', info, ...withOperation({}), ...content };
  return loadDocument(place({ 'api.yaml': stringify(document), 'books.yaml': stringify({ get: operation() }) }).url);
}

describe('what a contract can contain', () => {
  const itemsOf = (part: string, isRefused: boolean) =>
    Object.entries(table[part] ?? {}).flatMap(([item, { message }]) =>
      (message !== undefined) === isRefused ? item : [],
    );

  it('is documented: everything that is refused, and nothing that is not tried', () => {
    expect([...documented.keys()]).to.include.members(
      Object.keys(table).filter((part) => itemsOf(part, true).length > 0),
    );
    for (const [part, { supported, refused }] of documented) {
      expect(refused, part).to.have.members(itemsOf(part, true));
      expect(itemsOf(part, false), part).to.include.members(supported);
    }
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
