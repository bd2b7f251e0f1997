import type { Node } from '#dist/schema/schema-joins.js';

const text = { type: 'string' };
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, others: object = {}) => ({ type: 'object', properties, ...others });

export const schemas = {
  Pet: object({ name: text, owner: ref('Owner') }),
  Owner: object({ email: text }),
  Tree: object({ name: text, children: { type: 'array', items: ref('Tree') } }),
  Endless: { allOf: [ref('Endless'), object({ a: text })] },
  Secret: { type: 'string', writeOnly: true },
  Cat: object({ kind: { const: 'cat' }, lives: { type: 'integer' } }),
  Dog: object({ kind: { enum: ['dog', 'wolf'] }, barks: { type: 'boolean' } }),
  Animal: object(
    { type: text },
    { discriminator: { propertyName: 'type', mapping: { bird: '#/components/schemas/Bird' } } },
  ),
  Bird: { allOf: [ref('Animal'), object({ wings: { type: 'integer' } })] },
  Fish: { allOf: [ref('Animal'), object({ fins: { type: 'integer' } })] },
};

/** A row of a mapper of objects. */
class Row {
  name = 'Rex';
  hash = 'x';
  toJSON(): object {
    return this;
  }
}

/** A document that contains a row. JSON.stringify calls only its own `toJSON`. */
class Document {
  toJSON(): object {
    const row = { name: 'Rex' };
    Object.setPrototypeOf(row, { toJSON: () => new Row() });
    return row;
  }
}

const [pets, tagged] = [{ oneOf: [ref('Cat'), ref('Dog'), { type: 'null' }] }, { propertyName: 'kind' }];
const cat = { kind: 'cat', lives: 9, barks: true };
const dates = { at: new Date(0), x: 1 };

/** A value and what is left of it, in both versions of OpenAPI unless the case names one. */
export const cases: readonly (readonly [title: string, schema: Node, value: unknown, left: unknown, only?: string])[] =
  [
    ['an object with properties', ref('Pet'), { name: 'Rex', hash: 'x' }, { name: 'Rex' }],
    ['a nested object', ref('Pet'), { owner: { email: 'a@b', hash: 'x' } }, { owner: { email: 'a@b' } }],
    ['an array', { type: 'array', items: ref('Pet') }, [{ name: 'a' }, { b: 1 }], [{ name: 'a' }, {}]],
    ['null and a value of another type', { type: 'array', items: ref('Pet') }, [null, 1, 'a'], [null, 1, 'a']],
    ['a schema that contains itself', ref('Tree'), { children: [{ name: 'a', x: 1 }] }, { children: [{ name: 'a' }] }],
    ['a schema that consists of itself', ref('Endless'), { a: 'a', x: 1 }, { a: 'a' }],
    ['a free-form object', { type: 'object' }, { x: { y: 1 } }, { x: { y: 1 } }],
    ['an object without a type', { properties: { a: text } }, { a: 'a', x: 1 }, { a: 'a' }],
    ['an object with empty properties', object({}), { x: 1 }, { x: 1 }],
    ['no schema', true, { x: 1 }, { x: 1 }],
    [
      'additionalProperties: true',
      object({ a: ref('Owner') }, { additionalProperties: true }),
      { a: { x: 1 }, b: 1 },
      { a: {}, b: 1 },
    ],
    ['additionalProperties: false', { additionalProperties: false }, { x: 1 }, {}],
    [
      'additionalProperties: schema',
      { additionalProperties: ref('Owner') },
      { a: { email: 'a', x: 1 } },
      { a: { email: 'a' } },
    ],
    [
      'patternProperties',
      { patternProperties: { '^x-': ref('Owner') } },
      { 'x-a': { x: 1 }, b: 1 },
      { 'x-a': {} },
      '3.1.1',
    ],
    [
      'prefixItems',
      { prefixItems: [ref('Owner')], items: ref('Pet') },
      [
        { email: 'a', name: 'b' },
        { email: 'a', name: 'b' },
      ],
      [{ email: 'a' }, { name: 'b' }],
      '3.1.1',
    ],
    ['items that are not declared', { type: 'array' }, [{ x: 1 }], [{ x: 1 }]],
    [
      'allOf',
      { allOf: [ref('Owner'), object({ a: text }), { required: ['a'] }] },
      { email: 'e', a: 'a', x: 1 },
      { email: 'e', a: 'a' },
    ],
    [
      'allOf with the same field',
      { allOf: [ref('Pet'), object({ owner: object({ a: text }) })] },
      { owner: { email: 'e', a: 'a', x: 1 } },
      { owner: { email: 'e', a: 'a' } },
    ],
    [
      'allOf with an open part',
      { allOf: [ref('Owner'), { additionalProperties: ref('Pet') }] },
      { x: { name: 'a', y: 1 } },
      { x: { name: 'a' } },
    ],
    [
      'unevaluatedProperties',
      { allOf: [ref('Owner')], unevaluatedProperties: false },
      { email: 'e', x: 1 },
      { email: 'e' },
      '3.1.1',
    ],
    ['anyOf', { anyOf: [ref('Owner'), ref('Pet')] }, { email: 'e', name: 'n', x: 1 }, { email: 'e', name: 'n' }],
    ['anyOf with a free-form branch', { anyOf: [ref('Owner'), { type: 'object' }] }, { x: 1 }, { x: 1 }],
    [
      'anyOf of conditions',
      object({ a: text }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
      { a: 'a', x: 1 },
      { a: 'a' },
    ],
    [
      'anyOf with an array',
      { anyOf: [{ type: 'array', items: ref('Owner') }, ref('Pet')] },
      [{ email: 'e', name: 'n' }],
      [{ email: 'e' }],
    ],
    [
      'nested fields of several branches',
      { anyOf: [object({ a: ref('Owner') }), object({ a: ref('Pet') })] },
      { a: { email: 'e', name: 'n', x: 1 } },
      { a: { email: 'e', name: 'n' } },
    ],
    [
      'if, then and else',
      object({ a: text }, { if: { required: ['a'] }, then: object({ b: text }) }),
      { a: 'a', b: 'b', x: 1 },
      { a: 'a', b: 'b' },
      '3.1.1',
    ],
    [
      'dependentSchemas',
      object({ a: text }, { dependentSchemas: { a: object({ b: text }) } }),
      { a: 'a', b: 'b', x: 1 },
      { a: 'a', b: 'b' },
      '3.1.1',
    ],
    ['a constant that selects a branch', pets, cat, { kind: 'cat', lives: 9 }],
    ['one of several constants', pets, { ...cat, kind: 'wolf' }, { kind: 'wolf', barks: true }],
    ['a constant of no branch', pets, { ...cat, kind: 'bird', x: 1 }, { ...cat, kind: 'bird' }],
    ['a discriminator', { ...pets, discriminator: tagged }, cat, { kind: 'cat', lives: 9 }],
    [
      'a discriminator with other fields',
      { ...object({ id: text }), ...pets },
      { id: 'a', ...cat },
      { id: 'a', kind: 'cat', lives: 9 },
    ],
    [
      'a constant that selects a branch beside anyOf',
      { ...pets, anyOf: [object({ id: text }), ref('Owner')] },
      { id: 'a', email: 'e', ...cat, x: 1 },
      { id: 'a', email: 'e', kind: 'cat', lives: 9 },
    ],
    [
      'a constant that selects a branch beside unevaluatedProperties',
      {
        oneOf: [ref('Dog'), object({ kind: { const: 'hen' }, eggs: ref('Owner') })],
        unevaluatedProperties: { type: 'string' },
      },
      { kind: 'hen', eggs: { email: 'e', x: 1 }, id: 'a' },
      { kind: 'hen', eggs: { email: 'e' }, id: 'a' },
      '3.1.1',
    ],
    [
      'a discriminator of a schema that others extend',
      ref('Animal'),
      { type: 'Fish', fins: 1, wings: 2 },
      { type: 'Fish', fins: 1 },
    ],
    ['its mapping', ref('Animal'), { type: 'bird', fins: 1, wings: 2 }, { type: 'bird', wings: 2 }],
    ['a value that is none of them', ref('Animal'), { type: 'Bug', wings: 2 }, { type: 'Bug' }],
    [
      'fields that are write-only',
      object({ a: text, b: ref('Secret'), c: { writeOnly: true } }, { additionalProperties: true }),
      { a: 'a', b: 'b', c: 'c' },
      { a: 'a' },
    ],
    [
      'fields of contains that are write-only',
      { type: 'array', contains: object({ a: text, b: ref('Secret') }) },
      [{ a: 'a', b: 'b', c: 'c' }, 'd'],
      [{ a: 'a', c: 'c' }, 'd'],
      '3.1.1',
    ],
    [
      'siblings of a reference in 3.1',
      { ...ref('Owner'), properties: { a: text } },
      { email: 'e', a: 'a', x: 1 },
      { email: 'e', a: 'a' },
      '3.1.1',
    ],
    [
      'siblings of a reference in 3.0',
      { ...ref('Owner'), properties: { a: text } },
      { email: 'e', a: 'a', x: 1 },
      { email: 'e' },
      '3.0.4',
    ],
    [
      'a description of a reference',
      { ...ref('Animal'), description: 'A' },
      { type: 'Fish', fins: 1, wings: 2 },
      { type: 'Fish', fins: 1 },
    ],
    ['a date', object({ at: text }), dates, { at: '1970-01-01T00:00:00.000Z' }],
    ['an object with toJSON', ref('Pet'), { toJSON: () => ({ name: 'Rex', hash: 'x' }) }, { name: 'Rex' }],
    ['an array where an object is declared', ref('Pet'), { owner: [{ hash: 'x' }] }, { owner: [] }],
    ['an object where an array is declared', { type: 'array', items: ref('Pet') }, { 0: { hash: 'x' } }, {}],
    ['an array in an array', { type: 'array', items: ref('Pet') }, [[{ hash: 'x' }]], [[]]],
    ['an object where a text is declared', ref('Pet'), { name: { hash: 'x' } }, { name: {} }],
    ['an object where null is declared', { type: 'null' }, { hash: 'x' }, {}, '3.1.1'],
    ['an item where none is allowed', { prefixItems: [text], items: false }, ['a', { hash: 'x' }], ['a', {}], '3.1.1'],
    ['an object whose toJSON returns one with toJSON', ref('Pet'), new Document(), { name: 'Rex' }],
    ['an object whose toJSON returns itself', ref('Pet'), new Row(), { name: 'Rex' }],
    [
      'a required field that is not declared',
      object({ a: text }, { required: ['a', 'b'] }),
      { a: 'a', b: { c: 1 }, x: 1 },
      { a: 'a', b: { c: 1 } },
    ],
    [
      'a field that another part requires',
      { allOf: [object({ a: text }), { required: ['b'] }], required: ['c'] },
      { a: 'a', b: 1, c: 2, x: 1 },
      { a: 'a', b: 1, c: 2 },
    ],
    [
      'no field that is required where others are forbidden',
      { allOf: [object({ a: text }, { additionalProperties: false }), { required: ['b'] }] },
      { a: 'a', b: 1 },
      { a: 'a' },
    ],
    ['a field that is not a field', ref('Pet'), { name: 'Rex', toString: 'x', constructor: 'x' }, { name: 'Rex' }],
  ];
