import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { schemasOf } from '#dist/contract/schemas.js';
import { createAjv } from '#dist/schema/create-ajv.js';
import { describeErrors } from '#dist/schema/validation-messages.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });
const kind = (value: unknown, others: object = {}) => object({ kind: { enum: [value] }, ...others }, 'kind');
const discriminator = (mapping?: Readonly<Record<string, string>>, propertyName = 'kind') => ({
  discriminator: { propertyName, ...(mapping && { mapping }) },
});

const schemas = {
  // Each lists its own tag.
  Cat: { ...kind('cat', { lives: { type: 'integer' } }), required: ['kind', 'lives'] },
  Dog: { ...kind('dog', { barks: { type: 'boolean' } }), required: ['kind', 'barks'] },
  Pet: { oneOf: [ref('Cat'), ref('Dog')], ...discriminator() },
  Fish: { allOf: [ref('Finned'), object({ fins: { type: 'integer' } }, 'fins')] },
  Finned: kind('fish'),
  Alias: ref('Link'),
  Link: ref('Fish'),
  OneOfKinds: object({ kind: { enum: ['Owl', 'Bat'] } }, 'kind'),
  Owl: { allOf: [ref('OneOfKinds'), object({ wise: { type: 'boolean' } }, 'wise')] },
  Bat: { allOf: [ref('OneOfKinds'), object({ blind: { type: 'boolean' } }, 'blind')] },
  KindOfBird: { allOf: [{ enum: ['bird', 'wren'] }, { not: { enum: ['crow'] } }] },
  Bird: object({ kind: ref('KindOfBird'), wings: { type: 'integer' } }, 'kind', 'wings'),
  // Neither lists its own tag.
  Card: object({ kind: text, number: { type: 'integer' } }, 'kind', 'number'),
  Bank: object({ kind: text, iban: text }, 'kind', 'iban'),
  Optional: object({ kind: { enum: ['none'] }, size: { type: 'integer' } }),
  Tree: object({ kind: { enum: ['tree'] }, children: { type: 'array', items: ref('Node') } }, 'kind'),
  Leaf: object({ kind: { enum: ['leaf'] }, size: { type: 'integer' } }, 'kind', 'size'),
  Node: { oneOf: [ref('Tree'), ref('Leaf')] },
};

const only = 'The line must match exactly one schema in oneOf.';
const any = 'The line must match a schema in anyOf.';
const anInteger = 'must be an integer from -9007199254740991 to 9007199254740991.';

type Expected = readonly [value: unknown, message: string];

/** Unions, and what is wrong with values: `valid` if nothing is. */
const cases: Readonly<Record<string, readonly [schema: object, ...values: readonly Expected[]]>> = {
  'a discriminator, with null': [
    { oneOf: [ref('Cat'), ref('Dog'), { type: 'string', nullable: true, enum: [null] }], ...discriminator() },
    [null, 'valid'],
    [{ kind: 'cat', lives: 9 }, 'valid'],
    [{ kind: 'cat', barks: true }, 'Missing field `lives`.'],
    [{ kind: 'dog', barks: 1 }, '`barks` must be true or false.'],
    [{ kind: 'cow' }, '`kind` must be one of: cat, dog.'],
    [{ lives: 9 }, 'Missing field `kind`.'],
    [{ kind: null }, '`kind` must be one of: cat, dog.'],
    [1, 'The line must be a JSON object or null.'],
    [[], 'The line must be a JSON object or null.'],
  ],
  'scalar alternatives': [
    { oneOf: [ref('Cat'), { type: 'string', maxLength: 2 }, { type: 'integer' }, ref('Dog')], ...discriminator() },
    ['ab', 'valid'],
    ['abc', only],
    [5, 'valid'],
    [true, 'The line must be a JSON object or a string or an integer.'],
    [{ kind: 'dog' }, 'Missing field `barks`.'],
    [{ kind: 'dog', barks: false }, 'valid'],
  ],
  'no discriminator': [
    { anyOf: [ref('Cat'), ref('Dog'), ref('Bird')] },
    [{ kind: 'cat' }, 'Missing field `lives`.'],
    [{ kind: 'wren', wings: 'x' }, `\`wings\` ${anInteger}`],
    [{ kind: 'crow', wings: 2 }, '`kind` must be one of: cat, dog, bird, wren.'],
    [{ kind: 'bird', wings: 2 }, 'valid'],
    [{}, 'Missing field `kind`.'],
  ],
  'a union in a union': [
    { oneOf: [ref('Pet'), ref('Bird')], ...discriminator({ dog: 'Dog' }) },
    [{ kind: 'dog', barks: true }, 'valid'],
    [{ kind: 'dog', barks: 1 }, '`barks` must be true or false.'],
    [{ kind: 'cat', lives: 'x' }, `\`lives\` ${anInteger}`],
    [{ kind: 'bird' }, 'Missing field `wings`.'],
    [{ kind: 'cow' }, '`kind` must be one of: cat, dog, bird, wren.'],
  ],
  'tags of allOf, of references and of references to references': [
    { oneOf: [ref('Alias'), ref('Bird')], ...discriminator() },
    [{ kind: 'fish', fins: 2 }, 'valid'],
    [{ kind: 'fish' }, 'Missing field `fins`.'],
    [{ kind: 'Alias', fins: 2 }, '`kind` must be one of: fish, bird, wren.'],
  ],
  'tags that a common base lists': [
    { oneOf: [ref('Owl'), ref('Bat')], ...discriminator() },
    [{ kind: 'Owl', wise: true }, 'valid'],
    [{ kind: 'Owl', wise: 1 }, '`wise` must be true or false.'],
    [{ kind: 'Bat' }, 'Missing field `blind`.'],
    // A hint does not make it invalid.
    [{ kind: 'Owl', blind: true }, 'valid'],
    [{ kind: 'Owl', wise: true, blind: true }, only],
    [{ kind: 'Elk' }, '`kind` must be one of: Owl, Bat.'],
  ],
  'names of a mapping, and a URI': [
    { oneOf: [ref('Card'), ref('Bank')], ...discriminator({ card: 'Card', debit: ref('Card').$ref, bank: 'Bank' }) },
    [{ kind: 'debit', number: 1 }, 'valid'],
    [{ kind: 'debit', number: '1' }, `\`number\` ${anInteger}`],
    [{ kind: 'bank' }, 'Missing field `iban`.'],
    [{ kind: 'cash' }, '`kind` must be one of: card, debit, bank.'],
    [{ kind: 'cash', number: 1 }, 'valid'],
    [{ kind: 'card', iban: 'x' }, 'valid'],
    [{ kind: 'card', number: 1, iban: 'x' }, only],
    [{ number: 1 }, 'Missing field `kind`.'],
  ],
  'names of schemas': [
    { anyOf: [ref('Card'), ref('Bank')], ...discriminator() },
    [{ kind: 'Card', number: '1' }, `\`number\` ${anInteger}`],
    [{ kind: 'Bank' }, 'Missing field `iban`.'],
    [{ kind: 'Card', number: 1, iban: 'x' }, 'valid'],
    [{ kind: 'Card', iban: 'x' }, 'valid'],
  ],
  'a mapping that a branch forbids': [
    { oneOf: [ref('Cat'), ref('Dog')], ...discriminator({ meow: 'Cat' }) },
    [{ kind: 'meow', lives: 9 }, '`kind` must be one of: cat, dog.'],
    [{ kind: 'cat', lives: 9 }, 'valid'],
  ],
  'an optional tag': [
    { oneOf: [ref('Optional'), ref('Cat')] },
    [{}, 'valid'],
    [{ size: 5 }, 'valid'],
    [{ size: 'x' }, only],
    [{ kind: 'none', size: 'x' }, `\`size\` ${anInteger}`],
  ],
  'branches that are equal': [
    { oneOf: [ref('Cat'), ref('Cat')], ...discriminator() },
    [{ kind: 'cat', lives: 9 }, only],
    [{ kind: 'dog' }, '`kind` must be one of: cat.'],
  ],
  'branches without a tag': [
    { oneOf: [ref('Cat'), object({ size: text }, 'size')], ...discriminator() },
    [{ kind: 'cat', lives: 'x' }, `\`lives\` ${anInteger}`],
    [{ size: 'x' }, 'valid'],
    [{ kind: 'cat', lives: 9, size: 'x' }, only],
    [{ kind: 'cow' }, only],
  ],
  'a tag that is a number': [
    { anyOf: [kind(1, { a: text }), kind(2, { b: text })] },
    [{ kind: 1, a: 1 }, '`a` must be a string.'],
    [{ kind: 2, b: 'x' }, 'valid'],
    [{ kind: '1' }, '`kind` must be one of: 1, 2.'],
  ],
  'a union of one branch': [
    { oneOf: [ref('Card')], ...discriminator() },
    [{ kind: 'cash', number: 1 }, 'valid'],
    [{ kind: 'Card' }, 'Missing field `number`.'],
  ],
  'a union within a condition': [
    { allOf: [{ not: ref('Pet') }, object({ kind: text }, 'kind')] },
    [{ kind: 'cow' }, 'valid'],
    [{ kind: 'cat', lives: 9 }, 'The line must not match the schema in not.'],
    [{ kind: 'cat' }, 'valid'],
  ],
  'one branch of objects, without a discriminator': [
    { anyOf: [ref('Cat'), text] },
    [{ kind: 'cat' }, any],
    ['a', 'valid'],
  ],
  'items that contain themselves': [
    ref('Node'),
    [{ kind: 'tree', children: [{ kind: 'leaf', size: 1 }] }, 'valid'],
    [
      { kind: 'tree', children: [{ kind: 'tree', children: [{ kind: 'leaf' }] }] },
      'Missing field `children.0.children.0.size`.',
    ],
    [{ kind: 'tree', children: [{ kind: 'bush' }] }, '`children.0.kind` must be one of: tree, leaf.'],
  ],
  'other fields beside a union': [
    { ...object({ id: text }, 'id'), oneOf: [ref('Cat'), ref('Dog')], ...discriminator() },
    [{ kind: 'cat', lives: 9 }, 'Missing field `id`.'],
    [{ kind: 'cat', id: 1 }, 'Missing field `lives`. `id` must be a string.'],
  ],
  'a tag named like a member of every object': [
    { oneOf: [object({ toString: { enum: ['a'] } }, 'toString'), object({ toString: { enum: ['b'] } }, 'toString')] },
    [{}, 'Missing field `toString`.'],
    [{ toString: 'a' }, 'valid'],
  ],
};

const withoutHints = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema, (name, value: unknown) => (name === 'discriminator' ? undefined : value)));

describe('a union', () => {
  for (const [title, [schema, ...values]] of Object.entries(cases))
    for (const openapi of ['3.0.4', '3.1.1'])
      for (const message of ['request', 'response'] as const)
        it(`is decided by its branches, and describes the one that is meant: ${title}, in a ${message} of ${openapi}`, () => {
          const line = { properties: { line: schema } };
          const validate = createAjv(schemasOf({ openapi, components: { schemas } }), message).compile(line);
          const decide = new Ajv2020({ strict: false }).compile(
            withoutHints({ ...line, components: { schemas } }) as object,
          );
          for (const [value, expected] of values) {
            const isValid = validate({ line: value });
            expect(isValid ? 'valid' : describeErrors(validate.errors ?? []), JSON.stringify(value)).to.equal(expected);
            expect(isValid, JSON.stringify(value)).to.equal(decide({ line: value }));
          }
        });

  it('fills in the defaults of the branch that its tag decides', () => {
    const color = { type: 'string', default: 'red' };
    const all = { Red: kind('red', { color }), Free: object({ kind: text, color }, 'kind') };
    const filled = (schema: object) => {
      const value = { line: { kind: 'red' } };
      createAjv(schemasOf({ openapi: '3.1.1', components: { schemas: all } }), 'request').compile({
        properties: { line: schema },
      })(value);
      return value.line;
    };
    for (const red of [ref('Red'), all.Red]) {
      expect(filled({ oneOf: [red, kind('blue')] })).to.deep.equal({ kind: 'red', color: 'red' });
      // More than one branch may be valid.
      expect(filled({ anyOf: [red, ref('Free')], ...discriminator({ red: 'Free' }) })).to.deep.equal({ kind: 'red' });
    }
  });

  it('can have a branch that lists integers beyond 2^53', () => {
    const schema = { oneOf: [ref('Cat'), { type: 'integer', enum: [9007199254740993n] }, ref('Dog')] };
    const line = { properties: { line: { ...schema, ...discriminator() } } };
    const validate = createAjv(schemasOf({ openapi: '3.1.1', components: { schemas } }), 'request').compile(line);
    expect(validate({ line: 9007199254740993n })).to.equal(true);
    expect(validate({ line: true })).to.equal(false);
    expect(describeErrors(validate.errors ?? [])).to.equal('The line must be a JSON object or an integer.');
  });

  it('takes part in unevaluatedProperties', () => {
    const schema = { oneOf: [ref('Cat'), ref('Dog')], unevaluatedProperties: false };
    const validate = createAjv(schemasOf({ openapi: '3.1.1', components: { schemas } }), 'request').compile(schema);
    expect(validate({ kind: 'cat', lives: 9 })).to.equal(true);
    expect(validate({ kind: 'cat', lives: 9, barks: true })).to.equal(false);
  });
});
