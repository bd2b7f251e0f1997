import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, folder } from '@contract-server/test-support/compile-types.js';
import { directoryWith } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';
import { generateTypes } from '#src/generate/generate-types.js';

const text = { type: 'string' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
const field = (secret: object) => object({ name: text, secret }, ['name', 'secret']);

/** `marked` stands for `writeOnly` and for `readOnly`. */
const schemas = {
  Secret: { ...text, marked: true },
  Alias: ref('Secret'),
  Open: object({ name: text, secret: text }, ['name']),
  Closed: object({ name: text, secret: ref('Secret') }, ['name']),
  Tree: object({ name: text, secret: ref('Secret'), children: { type: 'array', items: ref('Tree') } }, ['name']),
};

const both = "{ name: 'n', secret: 's' }";
const name = "{ name: 'n' }";

/** A value with a member that is marked, and the same without it. */
const cases: readonly (readonly [title: string, schema: object, value: string, left: string])[] = [
  ['itself', field({ ...text, marked: true }), both, name],
  ['a reference', field(ref('Secret')), both, name],
  ['a reference to a reference', field(ref('Alias')), both, name],
  ['allOf with a reference', field({ allOf: [ref('Secret')] }), both, name],
  ['anyOf with one of two', field({ anyOf: [ref('Secret'), { type: 'integer' }] }), both, name],
  ['oneOf with null', field({ oneOf: [{ type: 'null' }, ref('Secret')] }), both, name],
  ['a part of allOf', { allOf: [ref('Closed'), { type: 'object', required: ['secret'] }] }, both, name],
  ['a part that declares it otherwise', { allOf: [ref('Closed'), ref('Open')] }, both, name],
  ['a branch of a union', { oneOf: [ref('Open'), ref('Closed')] }, both, name],
  ['a field of items', { type: 'array', items: ref('Closed') }, `[${both}]`, `[${name}]`],
  ['a field of a field', object({ a: { allOf: [ref('Closed')] } }), `{ a: ${both} }`, `{ a: ${name} }`],
  ['items', { type: 'array', items: ref('Secret') }, "['s']", '[]'],
  ['items of a field', object({ list: { type: 'array', items: ref('Alias') } }), "{ list: ['s'] }", '{ list: [] }'],
  [
    'the values of a map',
    object({ map: { type: 'object', additionalProperties: ref('Secret') } }),
    "{ map: { a: 's' } }",
    '{ map: {} }',
  ],
  [
    'a schema that contains itself',
    ref('Tree'),
    `{ name: 'n', children: [${both}] }`,
    `{ name: 'n', children: [${name}] }`,
  ],
];

const kinds = [
  { mark: 'writeOnly', without: 'Readable', whole: 'Writable' },
  { mark: 'readOnly', without: 'Writable', whole: 'Readable' },
];

/** Code that does not compile if a type has what it must not have, or lacks what it must have. */
function codeOf(
  index: number,
  [, , value, left]: (typeof cases)[number],
  { mark, without, whole }: (typeof kinds)[number],
) {
  return `
    import type { Readable, Writable } from '@contract-server/client/read-write.js';
    import type { components } from './${mark}-contract.js';
    type Value = components['schemas']['Case${String(index)}'];
    export const whole: ${whole}<Value> = ${value};
    export const left: ${without}<Value> = ${left};
    // @ts-expect-error -- It has a member that is marked.
    export const value: ${without}<Value> = ${value};`;
}

describe('the type of a schema', function () {
  this.timeout(60_000);

  let messages: readonly (readonly string[])[];
  before(async () => {
    const files = new Map<string, string>();
    for (const kind of kinds)
      for (const [index, each] of cases.entries())
        files.set(`${folder}types/${kind.mark}-${String(index)}.ts`, codeOf(index, each, kind));
    for (const { mark } of kinds) files.set(`${folder}types/${mark}-contract.ts`, await typesOf(mark));
    messages = compile(files);
  });

  async function typesOf(mark: string): Promise<string> {
    const named = Object.fromEntries(cases.map(([, schema], index) => [`Case${String(index)}`, schema]));
    const all = JSON.stringify({ ...schemas, ...named }).replaceAll('"marked"', `"${mark}"`);
    const components = { schemas: JSON.parse(all) as object };
    const contract = { openapi: '3.1.1', info: { title: 'A', version: '1' }, paths: {}, components };
    const url = pathToFileURL(join(directoryWith({ 'contract.yaml': contract }), 'contract.yaml'));
    return (await generateTypes(url)).types;
  }

  for (const [row, { mark, without }] of kinds.entries())
    for (const [index, [title]] of cases.entries())
      it(`${without} has no members that are ${mark}: ${title}`, () => {
        expect(messages[row * cases.length + index]).to.deep.equal([]);
      });
});
