import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { startApi } from '@contract-server/test-support/contract/start-api.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { loadDocument } from '#dist/load/load-document.js';
import { describeErrors } from '#dist/schema/validation-messages.js';

const text = { type: 'string' };
const object = (properties: object, others = {}) => ({ type: 'object', properties, ...others });
const one = (value: string) => ({ type: 'string', enum: [value], default: value });
const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const schemas = {
  Base: object({ kind: one('a') }),
  Word: { type: 'string', maxLength: 1 },
  Tree: { allOf: [object({ child: $ref('Tree') }), object({ child: $ref('Tree'), name: text })] },
};
const anyKind = (values: object) => object({ kind: { type: 'string', ...values } });

/** Loads a contract with a body and a query parameter, and sends both. */
async function send(openapi: string, schema: object, body: unknown, parameter: object = {}) {
  const operation = {
    operationId: 'createPet',
    parameters: [{ name: 'limit', in: 'query', schema: parameter }],
    requestBody: { content: { 'application/json': { schema } } },
    responses: { 200: { description: 'Created' } },
  };
  const document = { openapi, info: { title: 'Pets', version: '1.0.0' }, paths: { '/pets': { post: operation } } };
  const { directory, url } = place({ 'api.yaml': stringify({ ...document, components: { schemas } }) });
  const loaded = await loadDocument(url);
  const { router, validator } = await startApi(loaded.document);
  const request = { method: 'POST', path: '/pets', query: '', headers: {}, body: structuredClone(body) };
  const { errors } = validator.validateRequest(request, router.getOperation('createPet'));
  const { requestBody, query } = router.parseRequest(request);
  return {
    received: (errors ?? []).length === 0 ? requestBody : describeErrors(errors ?? []),
    query: { ...query },
    warnings: loaded.warnings.map((line) => line.slice(line.indexOf('api.yaml')).replace(directory, '')),
  };
}

/** A schema, a body, and the body that the handler receives. */
type Case = readonly [title: string, schema: object, sent: unknown, received: unknown, ...warnings: string[]];

const cases: readonly Case[] = [
  ['fills in a default that its schema allows', object({ kind: one('a') }), {}, { kind: 'a' }],
  [
    'fills in no null that an enum does not allow',
    anyKind({ enum: ['a', 'b'], default: null }),
    {},
    {},
    'The default null is not filled in: `default` must be one of: a, b.',
  ],
  [
    'fills in no default of another type',
    object({ age: { type: 'integer', minimum: 1, maximum: 9, default: '5' } }),
    {},
    {},
    'The default "5" is not filled in: `default` must be an integer from 1 to 9.',
  ],
  [
    'fills in no default that another part of an allOf does not allow',
    { allOf: [$ref('Base'), anyKind({ enum: ['b'], default: 'b' })] },
    {},
    {},
    'The default "a" is not filled in: `kind` must be one of: b.',
    'The default "b" is not filled in: `kind` must be one of: a.',
  ],
  [
    'fills in no default of a field that another part of an allOf does not allow',
    { allOf: [object({ name: text }, { additionalProperties: false }), object({ kind: one('c') })] },
    {},
    {},
    'The default "c" is not filled in: Unknown field `kind`; none are allowed.',
  ],
  [
    'fills in no default within an object that another part of an allOf does not allow',
    { allOf: [object({ inner: $ref('Base') }), object({ inner: anyKind({ enum: ['b'] }) })] },
    { inner: {} },
    { inner: {} },
    'The default "a" is not filled in: `kind` must be one of: b.',
  ],
  [
    'fills in the first of two defaults of an allOf that are both allowed',
    { allOf: [anyKind({ default: 'a' }), anyKind({ default: 'b' })] },
    {},
    { kind: 'a' },
  ],
  ['fills in defaults of a schema that contains itself', { allOf: [$ref('Tree'), $ref('Base')] }, {}, { kind: 'a' }],
];

describe('removeInvalidDefaults', () => {
  for (const openapi of ['3.0.4', '3.1.1'])
    for (const [title, schema, sent, received, ...expected] of cases)
      it(`${title}, in OpenAPI ${openapi}`, async () => {
        const result = await send(openapi, schema, sent);
        expect(result.received).to.deep.equal(received);
        expect(result.warnings.map((line) => line.replace(/^.*?: /, ''))).to.deep.equal(expected);
      });

  it('ignores what is beside a reference in OpenAPI 3.0, even if it is no schema', async () => {
    const media = { schema: { ...$ref('Tree'), allOf: { 3: object({ kind: one('b') }) } } };
    const responses = { 200: { description: 'Pets', content: { 'application/json': media } } };
    const document = { openapi: '3.0.4', info: { title: 'Pets', version: '1.0.0' }, components: { schemas } };
    const paths = { '/pets': { get: { operationId: 'listPets', responses } } };
    const { warnings } = await loadDocument(place({ 'api.yaml': stringify({ ...document, paths }) }).url);
    expect(warnings.filter((line) => line.includes('default'))).to.deep.equal([]);
  });

  it('fills in no invalid default of a parameter, and names its place', async () => {
    const { query, warnings } = await send('3.0.4', {}, {}, { type: 'integer', minimum: 1, maximum: 100, default: 0 });
    expect(query).to.deep.equal({});
    expect(warnings).to.deep.equal([
      'api.yaml:16:13 createPet: The default 0 is not filled in: `default` must be an integer from 1 to 100.',
    ]);
  });

  it('fills in no invalid default beside a reference, in OpenAPI 3.1', async () => {
    const schema = object({ a: { ...$ref('Word'), default: 'ab' }, b: { ...$ref('Word'), default: 'b' } });
    const { received, warnings } = await send('3.1.1', schema, {});
    expect(received).to.deep.equal({ b: 'b' });
    expect(warnings).to.have.length(1);
  });
});
