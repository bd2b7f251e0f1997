import { expect } from 'chai';
import { schemasOf } from '#dist/contract/schemas.js';
import { parseJson } from '#dist/json/exact-json.js';
import { createAjv } from '#dist/schema/create-ajv.js';

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const noOther = { unevaluatedProperties: false };
/** References that lead back are resolved while validating. */
const schemas = {
  Node: {
    type: 'object',
    properties: { a: refer('Node') },
    if: { required: ['a'] },
    then: { properties: { q: {} } },
  },
  List: { prefixItems: [{}, refer('List')], if: { minItems: 2 }, then: { items: true } },
};
const patterns = { allOf: [refer('Node')], patternProperties: { '^c': {} }, ...noOther };
const items = { anyOf: [refer('List'), {}], unevaluatedItems: false };
const dependent = { properties: { a: {} }, dependentSchemas: { b: { properties: { b: {}, c: {} } } }, ...noOther };
const tuple = {
  prefixItems: [{}],
  dependentSchemas: { b: { prefixItems: [{}, {}] } },
  unevaluatedItems: false,
};

/** Schemas of 3.1, and whether values are valid by them (JSON Schema 2020-12, section 11). */
const cases: readonly (readonly [schema: object, value: string, isValid: boolean])[] = [
  [patterns, '{"c":1}', true],
  [patterns, '{"c":1,"a":{}}', true],
  [patterns, '{"c":1,"a":{},"q":1}', true],
  [patterns, '{"c":1,"q":1}', false],
  [patterns, '{"c":1,"a":{},"z":1}', false],
  [items, '[]', true],
  [items, '[1]', true],
  [items, '[1,2,3]', true],
  [{ allOf: [items] }, '[1,[1,2,3],4]', true],
  [dependent, '{"a":1}', true],
  [dependent, '{"a":1,"b":1,"c":1}', true],
  [dependent, '{"a":1,"c":1}', false],
  [{ allOf: [{ ...dependent, unevaluatedProperties: {} }], ...noOther }, '{"a":1}', true],
  [tuple, '[1]', true],
  [tuple, '[1,2]', false],
];

describe('members that no schema describes', () => {
  for (const message of ['request', 'response'] as const)
    for (const [schema, value, isValid] of cases) {
      it(`${isValid ? 'accepts' : 'rejects'} ${value} in a ${message} by ${JSON.stringify(schema)}`, () => {
        const ajv = createAjv(schemasOf({ openapi: '3.1.1', components: { schemas } }), message);
        expect(ajv.compile(schema)(parseJson(Buffer.from(value)))).to.equal(isValid);
      });
    }
});
