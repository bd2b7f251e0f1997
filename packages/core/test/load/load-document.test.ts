import { readFileSync } from 'node:fs';
import { changedContract, type Json } from '@contract-server/test-support/contract/changed-contract.js';
import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { smallContract } from '@contract-server/test-support/contract/small-contract.js';
import { toysUrl as contractUrl } from '@contract-server/test-support/contract/toys-contract.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { loadDocument } from '#dist/load/load-document.js';

/** The sentences about the contract with a value replaced, without their positions. */
async function sentencesOf(path: readonly string[], value?: Json): Promise<string[]> {
  const lines = await errorsOf({ 'api.yaml': stringify(changedContract(path, value, smallContract)) });
  return lines.map((line) => line.replace(/^api\.yaml:\d+:\d+ /, ''));
}

const getPet = ['paths', '/pets/{petId}', 'get'];
const createPet = ['paths', '/pets', 'post'];
const name = ['components', 'schemas', 'NewPet', 'properties', 'name'];
const info = { title: 'Books', version: '1.0.0' };
const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } });

/** The mapping of a discriminator can contain names. */
const animal = (pet: string): Json => ({
  oneOf: [{ $ref: '#/components/schemas/Pet' }],
  discriminator: { propertyName: 'name', mapping: { pet } },
});
const types = '`type` can be one of the following only: "object", "array", "string", "number", "integer", "boolean".';

const inline = { name: 'petId', in: 'path', required: true, schema: { type: 'string' } };
const retention = 'x-idempotency-retention-seconds';
const other = { operationId: 'a', 'x-stability': 'beta', responses: { 200: { description: 'x' } } };

/** A keyword of earlier drafts of JSON Schema, with an invalid value. */
const invalid = { dependencies: 5 };

describe('loadDocument', () => {
  const mistakes: readonly (readonly [path: readonly string[], value: Json | undefined, sentence: string])[] = [
    [['openapi'], '2.0', 'OpenAPI 2.0 is not supported; use 3.0, 3.1 or 3.2.'],
    [['openapi'], {}, 'OpenAPI of no version is not supported; use 3.0, 3.1 or 3.2.'],
    [['openapi'], '3.3.0', 'OpenAPI 3.3.0 is not supported; use 3.0, 3.1 or 3.2.'],
    [['paths'], undefined, 'The field `paths` must be present on this level.'],
    [['info', 'version'], undefined, 'The field `version` must be present on this level.'],
    [['webhooks'], {}, 'Property `webhooks` is not expected here.'],
    [[...getPet, 'sumary'], 'Get a pet', 'getPet: Property `sumary` is not expected here. Did you mean summary?'],
    [[...getPet, 'responses'], undefined, 'getPet: The field `responses` must be present on this level.'],
    [['components', 'parameters', 'Limit', 'in'], undefined, 'The field `in` must be present on this level.'],
    [[...name, 'type'], 'text', types],
    [[...name, 'type'], ['string', 'null'], types],
    [[...name, 'exclusiveMinimum'], 1, 'Expected type `boolean` but got `integer`.'],
    [[...name, 'minLength'], 'x', 'Expected type `integer` but got `string`.'],
    [
      [...getPet, 'parameters'],
      [{ $ref: '#/components/parameters/None' }],
      "getPet: Can't resolve $ref: there is no #/components/parameters/None.",
    ],
    [['components', 'schemas', 'Animal'], animal('#/None'), 'The mapping of pet leads to no schema.'],
    [[...getPet, 'x-sunset'], '5 December 2030, noon', 'getPet: `x-sunset` must match format "date".'],
    [[...getPet, 'x-successor'], 'listPet', 'getPet: x-successor: the contract has no operation listPet.'],
    [[...getPet, 'x-successor'], 'getPet', 'getPet: x-successor: getPet is deprecated or has a path parameter.'],
    [[...getPet, 'operationId'], 'notFound', 'notFound: The operationId notFound is reserved.'],
    [[...getPet, 'security'], [{ oauth: [] }], 'getPet: There is no `oauth` security scheme defined.'],
    [['security'], [{ oauth: [] }], 'There is no `oauth` security scheme defined.'],
    [['servers'], [{ url: 'https://:8080/v1' }], 'The URL https://:8080/v1 of the server is invalid.'],
    [['servers'], [{ url: 'https://{host}/v1' }], 'The `host` variable is not defined in the `variables` objects.'],
    [[...getPet, 'operationId'], {}, '/pets/{petId}: Expected type `string` but got `object`.'],
    [['components', 'parameters', 'PetId', 'required'], false, 'The path parameter petId lacks `required: true`.'],
    [
      ['paths', '/pets/{name}'],
      { get: other },
      'a: GET /v1/pets/{name} has the same path as getPet; keep one of them.',
    ],
    [
      [...getPet, 'responses', '2xx'],
      { description: '' },
      'getPet: `2xx` is not a status; use a status such as 200, a range such as 2XX, or default.',
    ],
    [
      ['paths', '/pets?all=true'],
      {},
      "/pets?all=true: Don't put query string items in the path, they belong in parameters with `in: query`.",
    ],
    [['x-rate-limit-plans', 'free'], { requestPerMinute: 60 }, '`free` lacks `requestsPerMinute`.'],
    [['x-rate-limit-plans', 'free', 'requestsPerMinute'], 0, '`requestsPerMinute` must be >= 1.'],
    [['x-rate-limit-plans', 'free', 'requestsPerDay'], 1e15, '`requestsPerDay` must be <= 999999999999999.'],
    [['x-rate-limit-ban', 'seconds'], 1e10, '`seconds` must be <= 9999999999.'],
    [['x-error-codes', 'pet_not_found'], { cause: 'x' }, '`pet_not_found` lacks `status`.'],
    [['components', 'parameters', 'Limit', retention], 0, `\`${retention}\` must be >= 1.`],
    [[...getPet, 'parameters'], [{ ...inline, [retention]: 0 }], `getPet: \`${retention}\` must be >= 1.`],
    [[...createPet, 'requestBody', 'x-max-body-bytes'], '1', 'createPet: `x-max-body-bytes` must be integer.'],
    [[...createPet, 'requestBody', 'x-max-body-values'], 0, 'createPet: `x-max-body-values` must be >= 1.'],
    [
      [...createPet, 'requestBody', 'x-max-body-bytes'],
      1e15,
      'createPet: `x-max-body-bytes` must be <= 999999999999999.',
    ],
    [[...getPet, 'x-rate-limit'], { requests: 5 }, 'getPet: `x-rate-limit` lacks `seconds`.'],
    [[...getPet, 'x-rate-limit'], { requests: 0, seconds: 60 }, 'getPet: `requests` must be >= 1.'],
    [[...getPet, 'x-rate-limit'], { requests: 1e15, seconds: 60 }, 'getPet: `requests` must be <= 999999999999999.'],
    [[...getPet, 'x-rate-limit'], { requests: 5, seconds: 86_401 }, 'getPet: `seconds` must be <= 86400.'],
    [['x-rate-limit-address-plan'], 'enterprise', 'enterprise is not a plan with limits.'],
    [['x-rate-limit-address-plan'], 'fre', 'fre is not a plan with limits.'],
    [['x-rate-limit-ban', 'seconds'], undefined, '`x-rate-limit-ban` lacks `seconds`.'],
    [['x-error-codes', 'pet_not_found', 'status'], '404', '`status` must be integer.'],
    [[...getPet, 'x-stability'], 'stabel', 'getPet: `x-stability` must be one of: stable, beta, experimental.'],
  ];
  for (const [path, value, sentence] of mistakes)
    it(`reports ${path.join('.')} ${value === undefined ? 'removed' : JSON.stringify(value)}: ${sentence}`, async () => {
      expect(await sentencesOf(path, value)).to.include(sentence);
    });

  it('reports each mistake in its file, with line, column and operation', async () => {
    const errors = await errorsOf({
      'api.yaml': [
        'openapi: 3.1.0',
        'info: { title: Books, version: 1.0.0 }',
        'paths:',
        '  /books:',
        '    get:',
        '      operationId: listBooks',
        '      parameters:',
        '        - { name: session, in: cookie, schema: { type: array } }',
        '        - $ref: parameters/filter.yaml',
        '      responses: { "200": { description: Books } }',
      ].join('\n'),
      'parameters/filter.yaml':
        'name: filter\nin: header\nstyle: deepObject\nschema:\n  $ref: ../schemas.yaml#/Filter\n',
      'schemas.yaml': 'Filter: { type: object }\n',
    });
    expect(errors).to.deep.equal([
      'api.yaml:8:11 listBooks: The cookie parameter session is an array or an object, which is supported with explode: false only.',
      'api.yaml:9:11 listBooks: The header parameter filter has the style deepObject, which is not supported; use simple.',
    ]);
  });

  it('reports a schema in its file', async () => {
    for (const [schema, error] of [
      ['{ type: strin }', /^schemas\.yaml:2:15 `type` can be one of .+ Did you mean string\?$/],
      ['{ dependencies: 5 }', /^schemas\.yaml:2:7 The schema is invalid: dependencies value must be .+\.$/],
    ] as const) {
      const body = { content: { 'application/json': { schema: { $ref: 'schemas.yaml#/Book' } } } };
      const operation = { requestBody: body, responses: { 200: { description: 'Books' } } };
      const errors = await errorsOf({
        'api.yaml': stringify({ openapi: '3.1.0', info, paths: { '/books': { post: operation } } }),
        'schemas.yaml': `\nBook: ${schema}\n`,
      });
      expect(errors).to.have.length(1);
      expect(errors[0]).to.match(error);
    }
  });

  it('reports a mistake once: at the smallest schema that has it, and at the first use of a component', async () => {
    const body = { description: 'Books', ...(json({ $ref: '#/components/schemas/Book' }) as object) };
    const operation = {
      parameters: [{ $ref: '#/components/parameters/Tags' }],
      requestBody: body,
      responses: { 200: body },
    };
    const errorsIn = (Book: object, explode: boolean) => {
      const Tags = { name: 'tags', in: 'cookie', explode, schema: { type: 'array' } };
      const paths = { '/a': { post: operation }, '/b': { post: operation }, '/{b}{c}': { get: operation } };
      const document = { openapi: '3.1.0', info, paths, components: { schemas: { Book }, parameters: { Tags } } };
      return errorsOf({ 'api.yaml': stringify(document, { aliasDuplicateObjects: false }) });
    };
    expect(await errorsIn({ properties: { tags: { items: invalid } } }, true)).to.deep.equal([
      'api.yaml:9:11 /a: The cookie parameter tags is an array or an object, which is supported with explode: false only.',
      'api.yaml:40:3 /{b}{c}: The path segment {b}{c} has two parameters without text between them, which is ambiguous.',
      'api.yaml:63:13 The schema is invalid: dependencies value must be ["object"].',
    ]);
    expect(await errorsIn({}, true)).to.deep.equal([
      'api.yaml:9:11 /a: The cookie parameter tags is an array or an object, which is supported with explode: false only.',
      'api.yaml:40:3 /{b}{c}: The path segment {b}{c} has two parameters without text between them, which is ambiguous.',
    ]);
  });

  it('accepts the contract of this service', async () => {
    const { files } = await loadDocument(contractUrl);
    expect(files.map(({ bytes }) => bytes)).to.deep.equal([readFileSync(contractUrl)]);
  });

  it('accepts a body and a parameter in any of their forms', async () => {
    for (const [path, value] of [
      [['paths', '/pets/{petId}', 'parameters'], [inline]],
      [[...createPet, 'requestBody'], json({ type: 'object' })],
      [['servers'], [{ url: 'https://api.petstore.example/v1' }]],
      [['x-templates'], { $ref: 'arn:templates', path: { $ref: 'templates.yaml' } }],
      [name, { nullable: true, allOf: [{ type: 'string' }] }],
      [['components', 'schemas', 'Animal'], animal('Pet')],
      [[...getPet, 'operationId'], undefined],
    ] as const) {
      const { url } = place({ 'api.yaml': stringify(changedContract(path, value as Json, smallContract)) });
      await loadDocument(url);
    }
  });
});
