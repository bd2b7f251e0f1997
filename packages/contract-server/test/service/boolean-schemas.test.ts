import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { echoApp } from '@contract-server/test-support/contract/echo-app.js';
import { expect } from 'chai';
import supertest from 'supertest';
import { stringify } from 'yaml';
import { generateTypes } from '#src/generate/generate-types.js';
import { contractOf, withBody } from './named-contracts.js';

const item = { type: 'array', items: { type: 'integer' } };

/** Where a boolean schema stands, and a value that is valid if it is `true` and invalid if it is `false`. */
const bodies: Readonly<Record<string, readonly [schemaOf: (schema: boolean) => unknown, value: unknown]>> = {
  'a body': [(schema) => schema, { a: 1 }],
  properties: [(a) => ({ properties: { a } }), { a: 1 }],
  items: [(items) => ({ type: 'array', items }), [1]],
  additionalProperties: [(additionalProperties) => ({ additionalProperties }), { a: 1 }],
  patternProperties: [(a) => ({ patternProperties: { '^a': a } }), { a: 1 }],
  prefixItems: [(first) => ({ prefixItems: [first] }), [1]],
  unevaluatedProperties: [(unevaluatedProperties) => ({ type: 'object', unevaluatedProperties }), { a: 1 }],
  not: [(schema) => ({ not: !schema }), 1],
  if: [(schema) => ({ if: !schema, then: false }), 1],
  then: [(schema) => ({ if: true, then: schema }), 1],
  else: [(schema) => ({ if: false, else: schema }), 1],
  contains: [(contains) => ({ ...item, contains }), [1]],
  propertyNames: [(propertyNames) => ({ propertyNames }), { a: 1 }],
  allOf: [(schema) => ({ allOf: [schema] }), 1],
  anyOf: [(schema) => ({ anyOf: [schema, { type: 'string' }] }), 1],
  oneOf: [(schema) => ({ oneOf: [schema, { type: 'string' }] }), 1],
  dependentSchemas: [(a) => ({ dependentSchemas: { a } }), { a: 1 }],
  'a definition': [(a) => ({ $defs: { a }, type: 'object' }), 'x'],
};

describe('a boolean schema of OpenAPI 3.1', () => {
  const post = async (contract: object, send: (agent: ReturnType<typeof supertest>) => supertest.Test) => {
    const { types } = await generateTypes(place({ 'api.yaml': stringify(contract) }).url);
    expect(types).to.contain('export interface Contract');
    return (await send(supertest(await echoApp(stringify(contract))))).status;
  };
  const statuses = async (contractFor: (schema: boolean) => object, send: Parameters<typeof post>[1]) => [
    await post(contractFor(true), send),
    await post(contractFor(false), send),
  ];

  for (const [title, [schemaOf, value]] of Object.entries(bodies))
    it(`allows any value or none: ${title}`, async () => {
      const expected = title === 'a definition' ? [400, 400] : [200, 400];
      expect(
        await statuses(
          (schema) => withBody(schemaOf(schema) as object),
          (agent) => agent.post('/items').set('Content-Type', 'application/json').send(JSON.stringify(value)),
        ),
      ).to.deep.equal(expected);
    });

  it('allows any value or none: a component', async () => {
    const contractFor = (A: boolean) =>
      withBody({ $ref: '#/components/schemas/A' }, undefined, { components: { schemas: { A } } });
    expect(await statuses(contractFor, (agent) => agent.post('/items').send({ a: 1 }))).to.deep.equal([200, 400]);
  });

  it('allows any value or none: parameters, and headers of responses', async () => {
    for (const [name, send] of [
      ['query', (agent) => agent.post('/items?p=1')],
      ['header', (agent) => agent.post('/items').set('p', '1')],
      ['cookie', (agent) => agent.post('/items').set('Cookie', 'p=1')],
    ] as readonly (readonly [name: string, send: Parameters<typeof post>[1]])[]) {
      const contractFor = (schema: boolean) => contractOf({ parameters: [{ name: 'p', in: name, schema }] });
      expect(await statuses(contractFor, send), name).to.deep.equal([200, 400]);
    }
    const headers = { 'X-A': { schema: true }, 'X-B': { schema: false } };
    const contract = contractOf({
      responses: { 200: { description: 'x', headers, content: { 'application/json': { schema: true } } } },
    });
    expect(await post(contract, (agent) => agent.post('/items'))).to.equal(200);
  });

  it('is refused in OpenAPI 3.0', async () => {
    const contract = { ...withBody(true as unknown as object), openapi: '3.0.4' };
    expect(await errorsOf({ 'api.yaml': stringify(contract) })).to.deep.equal([
      'api.yaml:19:21 echo: Expected type `Schema` (object) but got `boolean`.',
    ]);
  });
});
