import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { loadDocument } from '#dist/load/load-document.js';

const info = { title: 'Books', version: '1.0.0' };
const responses = { 200: { description: 'Books' } };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const document = (paths: object, components: object = {}) =>
  stringify({ openapi: '3.1.0', info, paths, components }, { aliasDuplicateObjects: false });
const $ref = (part: string) => ({ $ref: `#/components/${part}` });
const matrix = { name: 'a', in: 'path', required: true, style: 'matrix', schema: { type: 'string' } };
const unsupported = '/b/{a}: The path parameter a has the style matrix, which is not supported; use simple.';

/** Each case has an invalid part, what it refers to, and the sentence about it. */
const cases: readonly (readonly [title: string, post: object, components: object, sentence: string])[] = [
  [
    'a parameter',
    { parameters: [{ in: 'query', schema: {} }] },
    {},
    '/a: The field `name` must be present on this level.',
  ],
  [
    'a component',
    { parameters: [$ref('parameters/A')] },
    { parameters: { A: { name: 'a', in: 'body', schema: {} } } },
    '`in` can be one of the following only: "query", "header", "path", "cookie".',
  ],
  [
    'a component of a component',
    { responses: { 200: $ref('responses/A') } },
    {
      responses: { A: { description: '', headers: { B: $ref('headers/B') } } },
      headers: { B: { required: 'yes', schema: {} } },
    },
    'Expected type `boolean` but got `string`.',
  ],
  [
    'a schema',
    { requestBody: json({ properties: { a: { type: 'text' } } }), responses },
    {},
    '/a: `type` can be one of the following only: "object", "array", "string", "number", "integer", "boolean", "null".',
  ],
  [
    'a reference to no schema',
    { requestBody: json({ properties: { a: $ref('schemas/A') } }), responses },
    {},
    "/a: Can't resolve $ref: there is no #/components/schemas/A.",
  ],
  [
    'a reference to no parameter',
    { parameters: [$ref('parameters/A')], responses },
    {},
    "/a: Can't resolve $ref: there is no #/components/parameters/A.",
  ],
  [
    'an unknown field',
    { sumary: 'A', responses },
    {},
    '/a: Property `sumary` is not expected here. Did you mean summary?',
  ],
  [
    'a security scheme',
    { security: [{ key: [] }], responses },
    { securitySchemes: { key: { type: 'http' } } },
    'The field `scheme` must be present on this level.',
  ],
];

describe('the problems of a document', () => {
  for (const [title, post, components, sentence] of cases)
    it(`include those of the rest if it has an invalid part: ${title}`, async () => {
      const paths = { '/a': { post: { responses, ...post } }, '/b/{a}': { get: { parameters: [matrix], responses } } };
      const lines = await errorsOf({ 'api.yaml': document(paths, components) });
      expect(lines.map((line) => line.replace(/^api\.yaml:\d+:\d+ /, ''))).to.have.members([sentence, unsupported]);
    });

  it('do not include the style of what is no parameter', async () => {
    const post = { parameters: [$ref('schemas/A')], responses };
    const lines = await errorsOf({ 'api.yaml': document({ '/a': { post } }, { schemas: { A: { type: 'string' } } }) });
    expect(lines.join('\n')).to.include('The field `in` must be present').and.not.include('not supported');
  });

  it('are reported in all files, whichever step finds them', async () => {
    const lines = await errorsOf({
      'api.yaml': document({ '/a/{a}': { $ref: 'a.yaml' }, '/b/{a}': { get: { parameters: [matrix], responses } } }),
      'a.yaml': stringify({ post: { operationId: 5, responses }, get: { responses, parameters: [matrix] } }),
    });
    expect(lines).to.deep.equal([
      'a.yaml:2:16 Expected type `string` but got `integer`.',
      'api.yaml:6:3 /a/{a}: The path parameter a has the style matrix, which is not supported; use simple.',
      'api.yaml:11:11 /b/{a}: The path parameter a has the style matrix, which is not supported; use simple.',
    ]);
  });

  it('end with the number of those that are not reported, unless all are', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `/${String(index + 1)}/{a}`);
    const paths = Object.fromEntries(names.map((path) => [path, { get: { parameters: [matrix], responses } }]));
    const { url } = place({ 'api.yaml': document(paths) });
    const [some, all] = await Promise.all(
      [false, true].map(async (reportsAll) => (await errorOf(loadDocument(url, { reportsAll }))) as Error),
    );
    expect(all?.message.split('\n')).to.have.length(25);
    const lines = some?.message.split('\n') ?? [];
    expect(lines).to.have.length(21);
    expect(all?.message.split('\n').slice(0, 20)).to.deep.equal(lines.slice(0, 20));
    expect(lines.at(-1)).to.equal('And 5 more: `contract-server generate --all` reports every problem.');
  });

  it('include a dialect of JSON Schema that is not supported', async () => {
    const dialect = 'http://json-schema.org/draft-07/schema#';
    const schemas = { A: { $schema: dialect }, B: { $schema: 'https://json-schema.org/draft/2020-12/schema' } };
    const openapi = '3.1.1';
    const contract = { openapi, info, jsonSchemaDialect: dialect, paths: {}, components: { schemas } };
    const sentence = `The dialect ${dialect} is not supported; use https://json-schema.org/draft/2020-12/schema.`;
    expect(await errorsOf({ 'api.yaml': stringify(contract) })).to.deep.equal([
      `api.yaml:5:20 ${sentence}`,
      `api.yaml:10:16 ${sentence}`,
    ]);
  });
});
