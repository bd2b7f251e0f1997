import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { startApi } from '@contract-server/test-support/contract/start-api.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { loadDocument } from '#dist/load/load-document.js';
import { describeErrors } from '#dist/schema/validation-messages.js';

const text = { type: 'string' };
const Word = { type: 'string', maxLength: 1 };
const $ref = '#/components/schemas/Word';

/** Loads a contract with a body, and validates bodies. */
async function load(openapi: string, schema: object, schemas: object = { Word }) {
  const operation = {
    operationId: 'createPet',
    requestBody: { content: { 'application/json': { schema } } },
    responses: { 200: { description: 'Created' } },
  };
  const paths = { '/pets': { post: operation } };
  const contract = { openapi, info: { title: 'Pets', version: '1' }, paths, components: { schemas } };
  const { directory, url } = place({ 'api.yaml': stringify(contract) });
  const { document, warnings } = await loadDocument(url);
  const { router, validator } = await startApi(document);
  const errorOf = (body: unknown) => {
    const request = { method: 'POST', path: '/pets', query: '', headers: {}, body };
    const { errors } = validator.validateRequest(request, router.getOperation('createPet'));
    return (errors ?? []).length === 0 ? 'valid' : describeErrors(errors ?? []);
  };
  const lines = warnings.map((line) => line.slice(line.indexOf('api.yaml')).replace(directory, ''));
  return { errorOf, lines };
}

const nullable = 'createPet: `nullable` is not part of OpenAPI 3.1; null is allowed, as in 3.0.';
const pattern = (source: string, reason: string) =>
  `createPet: The pattern \`${source}\` is not validated, because JavaScript cannot compile it: ${reason}.`;

const slow = (source: string) =>
  `createPet: The pattern \`${source}\` can take time that grows faster than the text; ` +
  'texts that take more than 5 ms together are rejected.';

type Case = readonly [schema: object, warning: string | undefined, ...bodies: (readonly [body: unknown, is: string])[]];

const cases31: readonly Case[] = [
  [{ ...text, nullable: true }, nullable, [null, 'valid'], ['a', 'valid'], [1, 'The body must be a string or null.']],
  [{ ...text, nullable: false }, undefined, [null, 'The body must be a string.']],
  [{ ...text, enum: ['a'], nullable: true }, nullable, [null, 'valid'], ['b', 'The body must be one of: a, null.']],
  [{ enum: ['a'], nullable: true }, nullable, [null, 'valid'], ['a', 'valid']],
  [{ $ref, nullable: true }, nullable, [null, 'valid'], ['a', 'valid']],
  [{ allOf: [{ $ref }], nullable: true }, nullable, [null, 'valid'], ['a', 'valid']],
  [{ description: 'Any', nullable: true }, nullable, [null, 'valid'], [1, 'valid']],
  [{ ...text, colour: 'red' }, 'createPet: The keyword `colour` is unknown and ignored.', ['a', 'valid']],
  [{ ...text, enum: [] }, undefined, ['a', 'The body must not match the schema in not.']],
  [
    { type: 'object', patternProperties: { '(?i)^a': { type: 'integer' } }, additionalProperties: false },
    pattern('(?i)^a', 'it has no (?i); use character classes, such as [Aa]'),
    [{ A: 'a' }, 'valid'],
  ],
];

const casesOfBoth: readonly Case[] = [
  [{ ...text, format: 'colour' }, 'createPet: The format `colour` is not validated.', ['a', 'valid']],
  [{ ...text, format: 'password' }, undefined, ['a', 'valid']],
  [{ ...text, pattern: '(' }, pattern('(', 'Unterminated group'), ['a', 'valid']],
  [{ ...text, pattern: '\\A[a-z]+\\Z' }, pattern('\\A[a-z]+\\Z', 'it has no \\A'), ['A', 'valid']],
  [{ ...text, pattern: '^[[:alpha:]]+$' }, pattern('^[[:alpha:]]+$', 'it has no [[:alpha:]'), ['A', 'valid']],
  [
    { ...text, pattern: '^\\-\\\\A$' },
    undefined,
    ['-\\A', 'valid'],
    ['A', 'The body must match the pattern ^\\-\\\\A$.'],
  ],
  ...['(.+)x\\1', '\\b.+@.+', '[a-z][a-z0-9]{0,600}'].map(
    (each): Case => [{ ...text, pattern: each }, slow(each), ['-', `The body must match the pattern ${each}.`]],
  ),
  ...['^(a+)+$', '(a|a)*$', '(.*)*a', '[a-z]+a', '^(\\d+|\\w+)*a$', '^[a-z0-9]+(-[a-z0-9]+)*$'].map(
    (each): Case => [{ ...text, pattern: each }, undefined, ['a'.repeat(2001), 'valid']],
  ),
];

const field = (name: string, schema: object = text) => ({
  type: 'object',
  required: [name],
  properties: { [name]: schema },
});
const hint = (mapping: object) => ({ discriminator: { propertyName: 'kind', mapping } });
const branches = (...names: readonly string[]) => names.map((name) => ({ $ref: `#/components/schemas/${name}` }));

/** The schemas of a document, and what `generate` warns of. */
const unions: Readonly<Record<string, readonly [components: object, schema: object, warning: string | undefined]>> = {
  'a tag that its schema forbids': [
    { Cat: field('kind', { enum: ['cat'] }), Dog: field('kind', { enum: ['dog'] }) },
    { oneOf: branches('Cat', 'Dog'), ...hint({ meow: 'Cat', dog: '#/components/schemas/Dog' }) },
    'createPet: The mapping of meow leads to a schema whose `kind` is never meow.',
  ],
  'a tag that a base forbids': [
    { Base: field('kind', { enum: ['cat', 'dog'] }), Cat: { allOf: branches('Base') }, Dog: field('bark') },
    { oneOf: branches('Cat', 'Dog'), ...hint({ cow: 'Cat' }) },
    'createPet: The mapping of cow leads to a schema whose `kind` is never cow.',
  ],
  'branches that accept the same objects': [
    { Cat: field('kind'), Dog: { ...field('kind'), description: 'A dog' } },
    { oneOf: branches('Cat', 'Dog'), ...hint({}) },
    'createPet: Objects of `Cat` also match `Dog`, so `oneOf` rejects them.',
  ],
  'branches that have optional fields only': [
    { Base: field('kind'), Cat: { allOf: [...branches('Base'), { properties: { lives: text } }] } },
    { oneOf: [...branches('Cat'), { allOf: [...branches('Base'), { properties: { barks: text } }] }] },
    'createPet: Objects of `Cat` also match branch 2, so `oneOf` rejects them.',
  ],
  'a branch that accepts those of another one': [
    { Cat: { ...field('kind'), additionalProperties: false }, Any: { type: 'object' } },
    { oneOf: branches('Any', 'Cat') },
    'createPet: Objects of `Cat` also match `Any`, so `oneOf` rejects them.',
  ],
  'branches with a field each': [
    { Cat: field('lives'), Dog: field('barks') },
    { oneOf: branches('Cat', 'Dog') },
    undefined,
  ],
  'branches with other types of a field': [
    { Cat: field('id'), Dog: field('id', { type: 'integer' }) },
    { oneOf: branches('Cat', 'Dog') },
    undefined,
  ],
  'branches that are closed': [
    {
      Cat: { ...field('kind'), additionalProperties: false },
      Dog: { properties: { kind: text, a: text }, required: ['kind', 'a'], additionalProperties: false },
    },
    { oneOf: branches('Cat', 'Dog') },
    undefined,
  ],
  'equal branches of anyOf': [{ Cat: field('kind') }, { anyOf: branches('Cat', 'Cat') }, undefined],
  'null and a type': [{ Cat: field('kind') }, { oneOf: [...branches('Cat'), { type: 'string' }] }, undefined],
};

describe('the warnings of a document', () => {
  for (const openapi of ['3.0.4', '3.1.1'])
    for (const [title, [components, schema, warning]] of Object.entries(unions))
      it(`name what no value can have: ${title}, in OpenAPI ${openapi}`, async () => {
        const { lines } = await load(openapi, schema, components);
        expect(lines.map((line) => line.replace(/^api\.yaml:\d+:\d+ /, ''))).to.deep.equal(
          warning === undefined ? [] : [warning],
        );
      });

  for (const openapi of ['3.0.4', '3.1.1'])
    for (const [schema, warning, ...bodies] of openapi === '3.0.4' ? casesOfBoth : [...casesOfBoth, ...cases31])
      it(`name what ${JSON.stringify(schema)} declares but is not applied, in OpenAPI ${openapi}`, async () => {
        const { lines, errorOf } = await load(openapi, schema);
        const sentences = lines.map((line) => line.replace(/^api\.yaml:\d+:\d+ /, ''));
        expect(sentences).to.deep.equal(warning === undefined ? [] : [warning]);
        expect(bodies.map(([body]) => errorOf(body))).to.deep.equal(bodies.map(([, result]) => result));
      });

  it('have one line for a format in several places, with the first of them', async () => {
    const colour = () => ({ ...text, format: 'colour' });
    const { lines } = await load('3.0.4', { type: 'object', properties: { a: colour(), b: colour(), c: colour() } });
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(
      /^api\.yaml:17:19 createPet: The format `colour` is not validated \(the first of 3 places\)\.$/,
    );
  });

  it('name path parameters that are not declared, and those that the path does not have', async () => {
    const parameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'integer' } });
    const responses = { 200: { description: 'A pet' } };
    const paths = {
      '/pets/{petId}': { parameters: [parameter('id')], get: { operationId: 'getPet', responses } },
      '/pets': { get: { operationId: 'listPets', parameters: [parameter('petId')], responses } },
    };
    const { url } = place({
      'api.yaml': stringify({ openapi: '3.0.4', info: { title: 'Pets', version: '1' }, paths }),
    });
    const { document, warnings } = await loadDocument(url);
    expect(warnings.map((line) => line.slice(line.indexOf('api.yaml')))).to.deep.equal([
      'api.yaml:8:9 /pets/{petId}: The path /pets/{petId} has no parameter {id}; the declaration is ignored.',
      'api.yaml:13:5 getPet: The path parameter {petId} is not declared; any text is valid.',
      'api.yaml:22:11 listPets: The path /pets has no parameter {petId}; the declaration is ignored.',
    ]);
    const { router, validator } = await startApi(document);
    const request = { method: 'GET', path: '/pets/rex', query: '', headers: {}, body: undefined };
    expect(validator.validateRequest(request, router.getOperation('getPet')).errors).to.equal(null);
    expect(router.parseRequest(request).params).to.deep.equal({ petId: 'rex' });
  });

  it('name repeated operationIds, which are replaced, and paths with a number sign, which are served', async () => {
    const operation = { operationId: 'getPet', responses: { 200: { description: 'A pet' } } };
    const paths = { '/pet': { get: operation }, '/pet#old': { get: operation } };
    const { url } = place({
      'api.yaml': stringify({ openapi: '3.0.4', info: { title: 'Pets', version: '1' }, paths }),
    });
    const { document, warnings } = await loadDocument(url);
    expect(warnings.map((line) => line.replace(/^.*api\.yaml:\d+:\d+ /, ''))).to.deep.equal([
      '/pet#old: Clients must send the # of the path as %23; unescaped, it ends the path.',
      'GET /pet#old: The operationId getPet is also that of GET /pet; this operation is called `GET /pet#old`.',
    ]);
    const { router } = await startApi(document);
    const idOf = (path: string) => {
      const match = router.match('GET', path);
      return match.kind === 'operation' ? match.operation.operationId : match.kind;
    };
    expect(['/pet', '/pet%23old', '/pet%23'].map(idOf)).to.deep.equal(['getPet', 'GET /pet#old', 'not found']);
  });

  it('name each header of a response whose name is no token (RFC 9110), once for a shared response', async () => {
    const headers = Object.fromEntries(
      ['X Name', 'X-本', 'X:', 'X-Name', "x!#$%&'*+.^_`|~1"].map((name) => [name, { schema: text }]),
    );
    const response = { description: '', headers };
    const $ref = '#/components/responses/Listed';
    const paths = {
      '/pets': { get: { operationId: 'listPets', responses: { 200: { $ref } } } },
      '/toys': { get: { operationId: 'listToys', responses: { 200: { $ref } } } },
    };
    const info = { title: 'Pets', version: '1' };
    const components = { responses: { Listed: response } };
    const { url } = place({ 'api.yaml': stringify({ openapi: '3.0.4', info, paths, components }) });
    const { warnings } = await loadDocument(url);
    expect(warnings.map((line) => line.replace(/.*api.yaml\S* /, ''))).to.deep.equal(
      ['X Name', 'X-本', 'X:'].map(
        (name) => `listPets: The header ${name} has a name that cannot be sent; use another one.`,
      ),
    );
  });

  it('do not include paths that differ only in the names of parameters and have other methods', async () => {
    const parameter = (name: string) => ({ name, in: 'path', required: true, schema: text });
    const operation = (name: string) => ({
      operationId: name,
      parameters: [parameter(name)],
      responses: { 200: { description: '' } },
    });
    const paths = { '/pets/{a}': { get: operation('a') }, '/pets/{b}': { delete: operation('b') } };
    const { url } = place({
      'api.yaml': stringify({ openapi: '3.0.4', info: { title: 'Pets', version: '1' }, paths }),
    });
    const { document, warnings } = await loadDocument(url);
    expect(warnings).to.deep.equal([]);
    const { router } = await startApi(document);
    for (const [method, name] of [
      ['GET', 'a'],
      ['HEAD', 'a'],
      ['DELETE', 'b'],
    ] as const)
      expect(router.match(method, '/pets/1')).to.deep.include({ kind: 'operation', params: { [name]: '1' } });
    expect(router.match('PUT', '/pets/1')).to.deep.equal({
      kind: 'method not allowed',
      allow: 'DELETE, GET, HEAD, OPTIONS',
    });
  });
});
