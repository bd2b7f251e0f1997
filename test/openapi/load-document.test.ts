import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { ContractError } from '#src/openapi/contract-error.js';
import { contractUrl } from '#src/openapi/load-contract.js';
import { loadDocument } from '#src/openapi/load-document.js';
import { changedContract, type Json } from '../support/contract/changed-contract.js';
import { errorOf } from '../support/error-of.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Writes the files of a contract, of which the first one is the contract. */
function place(files: Readonly<Record<string, string>>) {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return { directory, url: pathToFileURL(join(directory, Object.keys(files)[0] ?? '')) };
}

/** The lines of the error that prevents a contract from being served, with paths relative to its directory. */
async function errorsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { directory, url } = place(files);
  const error = await errorOf(loadDocument(url));
  expect(error).to.be.instanceOf(ContractError);
  const prefix = `${relative('', directory)}/`;
  return (error as ContractError).message.split('\n').map((line) => line.replaceAll(prefix, ''));
}

/** The sentences about the contract with a value replaced, without their positions. */
async function sentencesOf(path: readonly string[], value?: Json): Promise<string[]> {
  const lines = await errorsOf({ 'api.yaml': stringify(changedContract(path, value)) });
  return lines.map((line) => line.replace(/^api\.yaml:\d+:\d+ /, ''));
}

const getPet = ['paths', '/pets/{petId}', 'get'];
const createPet = ['paths', '/pets', 'post'];
const name = ['components', 'schemas', 'NewPet', 'properties', 'name'];
const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } });

describe('loadDocument', () => {
  const mistakes: readonly (readonly [path: readonly string[], value: Json | undefined, sentence: string])[] = [
    [['openapi'], '2.0', 'OpenAPI 2.0 is not supported; use 3.0 or 3.1.'],
    [['openapi'], '3.2.0', 'OpenAPI 3.2.0 is not supported; use 3.0 or 3.1.'],
    [['paths'], undefined, '`The contract` lacks `paths`.'],
    [['paths'], {}, 'The contract has no operations.'],
    [['info', 'version'], undefined, '`info` lacks `version`.'],
    [['webhooks'], {}, 'Unknown field `webhooks`.'],
    [[...getPet, 'sumary'], 'Get a pet', 'getPet: Unknown field `sumary`.'],
    [[...getPet, 'responses'], undefined, 'getPet: `get` lacks `responses`.'],
    [['components', 'parameters', 'Limit', 'in'], undefined, '`Limit` lacks `in`.'],
    [[...name, 'type'], 'text', '`type` must be one of: array, boolean, integer, number, object, string.'],
    [[...name, 'type'], ['string', 'null'], '`type` must be one of: array, boolean, integer, number, object, string.'],
    [[...name, 'exclusiveMinimum'], 1, '`exclusiveMinimum` must be boolean.'],
    [[...name, 'minLength'], 'x', '`minLength` must be integer.'],
    [[...name, 'pattern'], '(', '`pattern` must match format "regex".'],
    [[...name, 'pattern'], undefined, 'The schema is invalid: The contract has x-invisible without a pattern.'],
    [
      [...getPet, 'parameters'],
      [{ $ref: '#/components/parameters/None' }],
      'getPet: $ref #/components/parameters/None leads nowhere.',
    ],
    [[...getPet, 'x-sunset'], '5 December 2030, noon', 'getPet: x-sunset is not a day such as 2030-12-05.'],
    [[...getPet, 'x-successor'], 'listPet', 'getPet: x-successor: the contract has no operation listPet.'],
    [[...getPet, 'x-successor'], 'getPet', 'getPet: x-successor: getPet is deprecated or has a path parameter.'],
    [[...getPet, 'operationId'], 'listPets', 'listPets: The operationId listPets is used twice.'],
    [[...getPet, 'operationId'], 'notFound', 'notFound: The operationId notFound is reserved.'],
    [[...getPet, 'security'], [{ oauth: [] }], 'getPet: The security scheme oauth is not declared.'],
    [[...getPet, 'parameters'], [], 'getPet: The path parameter petId is not declared.'],
    [
      ['paths', '/pets', 'parameters'],
      [{ $ref: '#/components/parameters/PetId' }],
      'listPets: The path has no parameter petId.',
    ],
    [
      ['paths', '/pets/{name}'],
      { get: { operationId: 'a', 'x-stability': 'beta', responses: { 200: { description: 'x' } } } },
      '/pets/{petId}: The path /pets/{petId} matches the same requests as /pets/{name}.',
    ],
    [
      ['paths', '/pets?all=true'],
      {},
      '/pets?all=true: The path /pets?all=true has a query; declare query parameters instead.',
    ],
    [
      ['x-rate-limit-plans', 'free'],
      { requestPerMinute: 60, requestsPerDay: 1000 },
      '`free` lacks `requestsPerMinute`.',
    ],
    [['x-rate-limit-plans', 'free', 'requestsPerMinute'], 0, '`requestsPerMinute` must be >= 1.'],
    [['x-error-codes', 'pet_not_found'], { cause: 'x' }, '`pet_not_found` lacks `status`.'],
    [['x-rate-limit-address-plan'], 'enterprise', 'enterprise is not a plan with limits.'],
    [['x-rate-limit-address-plan'], 'fre', 'fre is not a plan with limits.'],
    [['x-rate-limit-ban', 'seconds'], undefined, '`x-rate-limit-ban` lacks `seconds`.'],
    [['x-error-codes', 'pet_not_found', 'status'], '404', '`status` must be integer.'],
    [[...getPet, 'x-stability'], 'stabel', 'getPet: `x-stability` must be one of: stable, beta, experimental.'],
  ];
  for (const [path, value, sentence] of mistakes) {
    it(`reports ${path.join('.')} ${value === undefined ? 'removed' : JSON.stringify(value)}: ${sentence}`, async () => {
      expect(await sentencesOf(path, value)).to.include(sentence);
    });
  }

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
        '        - { name: session, in: cookie, schema: { type: string } }',
        '        - $ref: parameters/filter.yaml',
        '      responses: { "200": { description: Books } }',
      ].join('\n'),
      'parameters/filter.yaml':
        'name: filter\nin: query\nstyle: deepObject\nschema:\n  $ref: ../schemas.yaml#/Filter\n',
      'schemas.yaml': 'Filter: { type: object }\n',
    });
    expect(errors).to.deep.equal([
      'api.yaml:8:11 listBooks: The cookie parameter session is not supported; use a header.',
      'api.yaml:9:11 listBooks: The query parameter filter has the style deepObject, which is not supported; use form.',
    ]);
  });

  it('reports a missing file, a file that is not YAML, and a reference that leads nowhere', async () => {
    const api = (reference: string) =>
      `openapi: 3.1.0\ninfo: { title: A, version: "1" }\npaths:\n  /a:\n    $ref: "${reference}"\n`;
    for (const [reference, error] of [
      ['b.yaml', /^api\.yaml:5:5 b\.yaml cannot be read: ENOENT/],
      ['a.yaml#/b', /^api\.yaml:5:5 \$ref a\.yaml#\/b leads nowhere\.$/],
      ['#/b', /^api\.yaml:5:5 \$ref #\/b leads nowhere\.$/],
      ['https://api.example/a.yaml', /^api\.yaml:5:5 \$ref https:\/\/api\.example\/a\.yaml is not a file\.$/],
      ['wrong.yaml', /^wrong\.yaml:2:1 \S.*\.$/],
    ] as const)
      expect((await errorsOf({ 'api.yaml': api(reference), 'a.yaml': '{}', 'wrong.yaml': 'a: [\n' }))[0]).to.match(
        error,
      );
    expect(await errorsOf({ 'api.yaml': '[]' })).to.deep.equal([
      'api.yaml:1:1 OpenAPI of no version is not supported; use 3.0 or 3.1.',
    ]);
    expect((await errorsOf({ 'api.yaml': 'a: 1\na: 2\n' }))[0]).to.equal('api.yaml:2:1 Map keys must be unique.');
  });

  it('resolves references from the file that contains them', async () => {
    const { url } = place({
      'api.yaml': [
        'openapi: 3.1.0',
        'info: { title: Books, version: 1.0.0 }',
        'paths: { /books: { $ref: paths/books.yaml } }',
        'components: { schemas: { Author: { $ref: schemas/author.yaml } } }',
      ].join('\n'),
      'paths/books.yaml': [
        'get:',
        '  operationId: listBooks',
        '  responses:',
        '    "200":',
        '      description: Books',
        '      content: { application/json: { schema: { $ref: ../schemas/book.yaml } } }',
      ].join('\n'),
      'schemas/book.yaml': [
        'type: object',
        'properties:',
        '  author: { $ref: author.yaml }',
        '  next: { $ref: "#" }',
        '  genre: { $ref: "#/$defs/genre" }',
        '$defs: { genre: { enum: [fiction] } }',
      ].join('\n'),
      'schemas/author.yaml': 'type: object\nproperties: { editor: { $ref: author.yaml } }\n',
    });
    const { document, files } = await loadDocument(url);
    const $ref = (of: string) => ({ $ref: `#/components/schemas/${of}` });
    expect(document.components?.schemas).to.deep.equal({
      Author: { type: 'object', properties: { editor: $ref('Author') } },
      book: {
        type: 'object',
        properties: { author: $ref('Author'), next: $ref('book'), genre: $ref('genre') },
        $defs: { genre: { enum: ['fiction'] } },
      },
      genre: { enum: ['fiction'] },
    });
    expect(document.paths['/books']?.get?.responses['200']).to.deep.include({ description: 'Books' });
    expect(files.map((file) => relative(dirname(url.pathname), file.url.pathname))).to.deep.equal([
      'api.yaml',
      'schemas/author.yaml',
      'paths/books.yaml',
      'schemas/book.yaml',
    ]);
  });

  it('accepts the contract of this service', async () => {
    expect((await loadDocument(contractUrl)).files.map(({ bytes }) => bytes)).to.deep.equal([
      readFileSync(contractUrl),
    ]);
  });

  it('accepts a body and a parameter in any of their forms', async () => {
    const parameter = { name: 'petId', in: 'path', required: true, schema: { type: 'string' } };
    for (const [path, value] of [
      [['paths', '/pets/{petId}', 'parameters'], [parameter]],
      [[...createPet, 'requestBody'], json({ type: 'object' })],
      [['servers'], [{ url: 'https://api.petstore.example/v1' }]],
      [[...getPet, 'operationId'], undefined],
    ] as const) {
      const { url } = place({ 'api.yaml': stringify(changedContract(path, value as Json)) });
      await loadDocument(url);
    }
  });
});
