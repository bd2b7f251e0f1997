import { expect } from 'chai';
import { schemasOf } from '#dist/contract/schemas.js';
import { parseJson } from '#dist/json/exact-json.js';
import { createAjv } from '#dist/schema/create-ajv.js';
import { describeErrors } from '#dist/schema/validation-messages.js';

const versions = ['3.0.4', '3.1.1'];
const object = (properties: object, required = Object.keys(properties)) => ({ type: 'object', required, properties });
const string = { type: 'string' };
const integer = { type: 'integer' };
const node = { $ref: '#/components/schemas/Node' };
const other = { $ref: '#/components/schemas/Other' };
const third = { $ref: '#/components/schemas/Third' };

/** Returns what is wrong with a value of a schema; `valid` if nothing is. */
function validated(schema: object, value: unknown, openapi = '3.1.1', schemas: object = {}): string {
  const validate = createAjv(schemasOf({ openapi, components: { schemas } }), 'request').compile({
    properties: { line: schema },
  });
  return validate({ line: value }) ? 'valid' : describeErrors(validate.errors ?? []);
}

/** An object that counts how often its member is read. */
function counted(value: unknown) {
  const object = { reads: 0, value: {} };
  object.value = Object.defineProperty({}, 'leaf', {
    enumerable: true,
    get: () => {
      object.reads += 1;
      return value;
    },
  });
  return object;
}

describe('the validation of many members', () => {
  const union = { oneOf: [object({ leaf: integer }), object({ leaf: { type: 'boolean' } }), object({ a: string })] };
  const list = <Item>(items: readonly Item[]) => items;
  const map = <Item>(items: readonly Item[]) =>
    Object.fromEntries(items.map((item, index) => [`k${String(index)}`, item]));

  for (const [schema, create, only31 = false] of [
    [{ items: union }, list],
    [{ items: { anyOf: Array.from({ length: 10 }, () => object({ leaf: integer, b: string })) } }, list],
    [{ additionalProperties: union }, map],
    [{ additionalProperties: node }, map],
    [{ patternProperties: { '^k': union } }, map],
    [{ patternProperties: { '^k': union }, unevaluatedProperties: false }, map, true],
    [{ prefixItems: [{}], items: union }, list, true],
    [{ unevaluatedItems: union }, list, true],
    [{ unevaluatedProperties: union }, map, true],
    [{ items: object({ leaf: integer, a: string }) }, list],
  ] as readonly (readonly [schema: object, create: typeof list | typeof map, only31?: boolean])[])
    for (const openapi of only31 ? versions.slice(1) : versions)
      it(`stops after enough invalid ones, for ${JSON.stringify(schema).slice(0, 90)} in OpenAPI ${openapi}`, () => {
        const [few, many] = [200, 3000].map((length) => {
          const items = Array.from({ length }, () => counted('x'));
          const message = validated(schema, create(items.map(({ value }) => value)), openapi, { Node: union });
          return { message, reads: items.reduce((sum, { reads }) => sum + reads, 0) };
        });
        expect(many).to.deep.equal(few);
        expect(many?.message).to.match(/\. And more\.$/);
      });

  it('finds the invalid ones among valid ones', () => {
    const items = Array.from({ length: 200 }, (_, index) => ({ leaf: index === 120 || index === 199 ? 'x' : 1 }));
    const sentence = 'must match exactly one schema in oneOf.';
    expect(validated({ items: union }, items)).to.equal(`\`120\` ${sentence} \`199\` ${sentence}`);
  });

  it('validates each branch of a union, however many errors another one has', () => {
    const items = [{}, ...Array.from({ length: 99 }, () => 1)];
    const message = validated({ anyOf: [{ items: object({ a: integer }) }, { items: string }] }, items);
    expect(message).to.equal('The line must match a schema in anyOf.');
    expect(validated({ oneOf: [{ items: object({ a: integer }) }, {}] }, items)).to.equal('valid');
  });

  it('reports one error for `contains`, and finds the item that is valid', () => {
    const items = Array.from({ length: 990 }, () => ({}));
    expect(validated({ contains: union }, items)).to.equal('The line must contain at least 1 valid item(s).');
    expect(validated({ contains: union }, [...items, { leaf: 1 }])).to.equal('valid');
  });
});

describe('the validation of recursive schemas', () => {
  const leaf = object({ leaf: integer });
  const branches = (child: object) => [object({ child }), object({ child, x: string }, ['child']), leaf];
  const map = (additionalProperties: object) => ({ type: 'object', additionalProperties });
  const deep = (wrap: (value: unknown) => unknown, depth: number, value: unknown) =>
    Array.from({ length: depth }).reduce<unknown>(wrap, value);
  const asChild = (child: unknown) => ({ child });

  for (const [name, schemas, wrap] of [
    ['anyOf', { Node: { anyOf: branches(node) } }, asChild],
    ['oneOf', { Node: { oneOf: [leaf, object({ child: node }), object({ child: node, x: string })] } }, asChild],
    ['items', { Node: { anyOf: branches({ type: 'array', items: node }) } }, (child: unknown) => ({ child: [child] })],
    ['maps', { Node: { anyOf: [leaf, map(node), { ...map(node), minProperties: 1 }] } }, asChild],
    ['allOf', { Node: { allOf: [object({ child: node, leaf: integer }, []), object({ child: node }, [])] } }, asChild],
    [
      'three schemas',
      {
        Node: { anyOf: [...branches(other), object({ child: third })] },
        Other: { oneOf: [leaf, object({ child: third, x: string }), object({ child: node })] },
        Third: { anyOf: [...branches(node), object({ child: other })] },
      },
      asChild,
    ],
  ] as const)
    for (const openapi of versions)
      it(`validates a leaf as often at any depth, with ${name} in OpenAPI ${openapi}`, () => {
        for (const value of [1, 'x']) {
          const [first, ...others] = [12, 30, 60].map((depth) => {
            const innermost = counted(value);
            const result = validated(node, deep(wrap, depth, innermost.value), openapi, schemas);
            return { isValid: result === 'valid', reads: innermost.reads };
          });
          expect(first?.isValid).to.equal(value === 1);
          expect(first?.reads).to.be.above(0);
          for (const each of others) expect(each).to.deep.equal(first);
        }
      });

  it('fills in the defaults of each level once, before the members are validated', () => {
    const part = object({ child: node, kind: { ...string, default: 'a' } }, ['kind']);
    const value = deep(asChild, 40, {});
    const schemas = { Node: { allOf: [part, { ...part, maxProperties: 2 }] } };
    expect(validated(node, value, '3.0.4', schemas)).to.equal('valid');
    expect(JSON.stringify(value).match(/"kind":"a"/g)).to.have.lengthOf(41);
  });

  it('knows the members that a recursive schema has evaluated', () => {
    const schemas = { Node: { anyOf: [object({ child: node }), object({ x: node, y: integer }, [])] } };
    const schema = { ...node, allOf: [node], unevaluatedProperties: false };
    expect(validated(schema, { child: { x: {} } }, '3.1.1', schemas)).to.equal('valid');
    expect(validated(schema, { y: 1, z: 1 }, '3.1.1', schemas)).to.match(/^Unknown field `z`/);
  });

  it('ends for a schema that refers to itself for the same value', () => {
    const schemas = { Node: { allOf: [node, object({ leaf: integer })] } };
    expect(validated(node, { leaf: 1 }, '3.0.4', schemas)).to.equal('valid');
    expect(validated(node, { leaf: 'x' }, '3.0.4', schemas)).to.match(/^`leaf` must be an integer/);
    const scalar = { Node: { type: 'string', minLength: 2, allOf: [node] } };
    expect(validated(node, 'ab', '3.0.4', scalar)).to.equal('valid');
    expect(validated(node, 'a', '3.0.4', scalar)).to.match(/must have at least 2 characters/);
  });
});

describe('an invalid value', () => {
  const validate = (schema: object, json: string) => {
    const line = parseJson(Buffer.from(json));
    return validated({ type: 'object', ...schema }, line);
  };

  it('is described as it was sent, without the defaults that were filled in before an error was found', () => {
    const kind = { properties: { kind: { ...string, default: 'a' }, age: integer } };
    const schema = { ...kind, if: { required: ['kind'] }, then: { required: ['detail'] } };
    expect(validate(schema, '{"age":"x"}')).to.match(/^`age` must be an integer from [-\d]+ to \d+\.$/);
    expect(validate(schema, '{"kind":"a","age":"x"}')).to.contain('Missing field `detail`.');
  });

  it('is described as it was sent, without the numbers that were replaced before an error was found', () => {
    const any = { anyOf: [{ const: 2 ** 60 }, { type: 'number', maximum: 5 }] };
    const schema = { properties: { any, name: string } };
    expect(validate(schema, '{"any":1152921504606846977,"name":1}')).to.equal(
      '`any` must match a schema in anyOf. `name` must be a string.',
    );
  });

  it('has every error of fields, and those of the only alternative besides null', () => {
    const either = { anyOf: [object({ b: integer, c: string }), { type: 'null' }] };
    expect(validate({ properties: { a: either, d: string }, required: ['d'] }, '{"a":{"b":"x"}}')).to.equal(
      'Missing field `d`. Missing field `a.c`. `a.b` must be an integer from -9007199254740991 to 9007199254740991.',
    );
  });
});
