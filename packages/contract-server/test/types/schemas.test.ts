import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, folder } from '@contract-server/test-support/compile-types.js';
import { directoryWith } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';
import { generateTypes } from '#src/generate/generate-types.js';

const text = { type: 'string' };
const number = { type: 'number' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
const list = (items: object) => ({ type: 'array', items });
const kinds = (...values: readonly string[]) => object({ kind: { ...text, enum: values } }, ['kind']);

const schemas = {
  Cat: object({ kind: text, lives: number }, ['kind', 'lives']),
  Dog: object({ kind: text, barks: { type: 'boolean' } }, ['kind', 'barks']),
  Domain: kinds('primary', 'secondary'),
  Resource: { oneOf: [ref('Cat'), ref('Domain')], discriminator: { propertyName: 'kind' } },
  Event: { ...kinds('created', 'deleted'), discriminator: { propertyName: 'kind' } },
  Base: {
    ...object({ kind: text, id: number, name: text }, ['kind', 'id']),
    additionalProperties: true,
    discriminator: { propertyName: 'kind' },
  },
  Shape: {
    ...{ oneOf: [object({ kind: text, r: number }, ['kind', 'r']), object({ kind: text, side: number }, ['kind'])] },
    discriminator: { propertyName: 'kind' },
  },
  Json: { oneOf: [text, number, list(ref('Json'))] },
  Rows: list(ref('Columns')),
  Columns: list({ oneOf: [number, ref('Rows')] }),
};

/** A schema, values that it allows, and values that it does not allow. */
const cases: readonly (readonly [
  title: string,
  schema: object,
  valid: readonly string[],
  invalid: readonly string[],
])[] = [
  [
    'properties beside `anyOf`',
    { ...object({ a: text }, ['a']), anyOf: [object({ b: text }, ['b']), object({ c: text }, ['c'])] },
    ["{ a: '', b: '' }", "{ a: '', c: '' }"],
    ["{ a: '' }", "{ b: '' }"],
  ],
  [
    '`anyOf` with required fields',
    { ...object({ a: text, b: text }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    ["{ a: '' }", "{ b: '' }"],
    ['{}', '{ a: 1 }'],
  ],
  ['a text beside `anyOf`', { ...text, anyOf: [{ const: 'a' }, { pattern: '^b' }] }, ["'b'"], ['1']],
  ['`anyOf` with null', { type: ['object', 'null'], anyOf: [{ required: ['a'] }, {}] }, ['null', "{ a: '' }"], []],
  [
    'required fields of another part, which is an array',
    { allOf: [object({ a: list(text) }), { type: 'object', properties: { a: { required: ['b'] } } }] },
    ["{ a: [''] }"],
    ["{ a: '' }"],
  ],
  ['a required field that is not declared', object({ a: text }, ['a', 'b']), ["{ a: '', b: 1 }"], ["{ a: '' }"]],
  [
    'a required field that is a value of a map',
    { type: 'object', additionalProperties: number, required: ['a'] },
    ['{ a: 1, b: 2 }'],
    ['{ b: 2 }', "{ a: '' }"],
  ],
  [
    'a required field of a part of a part',
    { allOf: [{ allOf: [object({ a: text })] }], required: ['a'] },
    ["{ a: '' }"],
    ['{}', '{ a: 1 }'],
  ],
  [
    'fields and the values of a map',
    { ...object({ a: text }), additionalProperties: number },
    ["{ a: '', b: 1 }", '{ b: 1 }'],
    ['{ a: 1 }', '{ b: true }'],
  ],
  [
    'fields and the values of a map of the same schema',
    { ...object({ a: text }, ['a']), additionalProperties: ref('Base') },
    ["{ a: '', b: { kind: '', id: 1 } }"],
    ["{ a: '', b: {} }"],
  ],
  ['`$defs`', { ...object({ a: text }), $defs: { name: text } }, ["{ a: '' }"], []],
  ['a field that is null', object({ a: { type: 'null' } }, ['a']), ['{ a: null }'], ['{ a: 1 }', '{}']],
  ['a text with the format of an integer', { ...text, format: 'int64' }, ["'1'"], ['1', '1n']],
  ['an integer or a text', { type: ['integer', 'string'], format: 'int64' }, ["'1'", '1', '1n'], ['true']],
  ['values that a discriminator does not name', ref('Resource'), ["{ kind: 'primary' }"], ["{ kind: 'Domain' }"]],
  [
    'values that the discriminator of a base does not name',
    { allOf: [ref('Event'), object({ by: text })] },
    ["{ kind: 'created', by: '' }"],
    [],
  ],
  [
    'the fields of a base with a discriminator and additional fields',
    { allOf: [ref('Base'), object({ size: number })] },
    ["{ kind: 'CASE', id: 1, name: '', size: 1 }"],
    ["{ kind: 'CASE' }", "{ kind: 'CASE', id: '' }"],
  ],
  ['the branches of a base with a discriminator', { allOf: [ref('Shape')] }, ["{ kind: 'CASE', r: 1 }"], ['{}']],
  [
    'names of a discriminator',
    { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } },
    ["{ kind: 'Dog', barks: true }"],
    ["{ kind: 'Cat', barks: true }"],
  ],
  ['a list of itself', ref('Json'), ["['', [1]]"], ['[true]']],
  ['lists of each other', ref('Rows'), ['[[1, [[2]]]]'], ["[['']]", '[1]']],
];

/** The contract has one schema for each case. */
async function typesOf(): Promise<string> {
  const named = Object.fromEntries(cases.map(([, schema], index) => [`Case${String(index)}`, schema]));
  const components = { schemas: { ...schemas, ...named } };
  const contract = { openapi: '3.1.1', info: { title: 'A', version: '1' }, paths: {}, components };
  return (await generateTypes(pathToFileURL(join(directoryWith({ 'contract.yaml': contract }), 'contract.yaml'))))
    .types;
}

function codeOf(index: number, [, , valid, invalid]: (typeof cases)[number]): string {
  const named = (value: string) => value.replaceAll('CASE', `Case${String(index)}`);
  return [
    "import type { Readable, Writable } from '@contract-server/client/read-write.js';",
    "import type { components } from './schemas-contract.js';",
    `type Value = components['schemas']['Case${String(index)}'];`,
    'const literal = <const T>(value: T) => value;',
    // TypeScript does not report fields of these values that are not declared.
    `const valid = [${valid.map((value) => `() => literal(${named(value)})`).join(', ')}] as const;`,
    'export const sent: readonly (() => Readable<Value>)[] = valid;',
    'export const received: readonly (() => Writable<Value>)[] = valid;',
    ...invalid.map((value, each) => {
      return `// @ts-expect-error -- It is invalid.\nexport const value${String(each)}: Readable<Value> = ${named(value)};`;
    }),
  ].join('\n');
}

describe('a generated type', function () {
  this.timeout(60_000);

  let messages: readonly (readonly string[])[];
  before(async () => {
    const files = new Map(
      cases.map((each, index) => [`${folder}types/schemas-${String(index)}.ts`, codeOf(index, each)]),
    );
    messages = compile(new Map([...files, [`${folder}types/schemas-contract.ts`, await typesOf()]]));
  });

  it('compiles, of every schema', () => {
    expect(messages.at(-1)).to.deep.equal([]);
  });

  for (const [index, [title]] of cases.entries())
    it(`allows what its schema allows: ${title}`, () => {
      expect(messages[index]).to.deep.equal([]);
    });
});
