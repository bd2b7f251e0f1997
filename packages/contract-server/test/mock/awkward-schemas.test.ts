import { contractOf, errorsOf, jsonOf, startMockOf, useMockOf } from '@contract-server/test-support/servers/mocked.js';
import { expect } from 'chai';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const objectOf = (properties: object, required = Object.keys(properties)) => ({ type: 'object', required, properties });
const kindOf = (kind: string) => objectOf({ kind: { type: 'string', enum: [kind] } });

const schemas = {
  Tree: objectOf({ name: { type: 'string' }, children: { type: 'array', items: ref('Tree') } }),
  List: objectOf({ next: { oneOf: [ref('List'), { type: 'null' }] } }),
  Cat: { allOf: [kindOf('cat'), objectOf({ lives: { type: 'integer', minimum: 9 } })] },
  Dog: { allOf: [kindOf('dog'), objectOf({ tail: { type: 'number', exclusiveMinimum: 0 } })] },
  Closed: { ...objectOf({ id: { type: 'integer' } }), additionalProperties: false },
  Features: objectOf({ items: { type: 'array', items: objectOf({ type: { type: 'string' } }) } }),
};

const pet = {
  oneOf: [ref('Cat'), ref('Dog')],
  discriminator: { propertyName: 'kind', mapping: { dog: 'Dog', cat: 'Cat' } },
};

/** Schemas for which samplers return invalid values. */
const cases30: Readonly<Record<string, object>> = {
  nullable: objectOf({ bio: { type: 'string', nullable: true } }),
  bytes: { type: 'string', format: 'byte' },
  discriminator: pet,
};

const cases31: Readonly<Record<string, object>> = {
  recursion: ref('Tree'),
  requiredRecursion: ref('List'),
  typeArray: objectOf({ bio: { type: ['string', 'null'] } }),
  nullFirst: { type: ['null', 'integer'], minimum: 3 },
  constant: objectOf({ version: { const: 2 } }),
  numbers: objectOf({ even: { type: 'integer', minimum: 3, multipleOf: 2 }, small: { type: 'number', maximum: -0.5 } }),
  formats: objectOf(
    Object.fromEntries(
      ['uuid', 'date-time', 'date', 'time', 'email', 'uri', 'hostname', 'ipv4', 'ipv6'].map((format) => [
        format,
        { type: 'string', format },
      ]),
    ),
  ),
  patterns: objectOf(
    Object.fromEntries(
      [
        '^\\d{4}-\\d{2}$',
        '^(cat|dog)_[a-z]+$',
        '^[A-Z]{3}$',
        '^v\\d+(\\.\\d+)*$',
        '^(?!x)\\w{2,5}$',
        '^arn:(?:aws|cn):\\S+$',
      ].map((pattern, index) => [String(index), { type: 'string', pattern }]),
    ),
  ),
  lengths: objectOf({ long: { type: 'string', minLength: 40 }, short: { type: 'string', maxLength: 2 } }),
  counts: objectOf({
    items: { type: 'array', minItems: 3, items: ref('Closed') },
    none: { type: 'array', maxItems: 0 },
  }),
  map: { type: 'object', minProperties: 2, additionalProperties: { type: 'integer' } },
  tuple: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }], items: false },
  composed: { allOf: [ref('Cat'), objectOf({ name: { type: 'string' } })] },
  composedItems: {
    allOf: [ref('Features'), objectOf({ items: { type: 'array', items: objectOf({ id: { type: 'integer' } }) } })],
  },
  firstBranchImpossible: { oneOf: [{ type: 'string', minLength: 1e9 }, { type: 'integer' }] },
  firstBranchAmbiguous: { oneOf: [{ type: 'number' }, { type: 'integer' }, { type: 'boolean' }] },
  branches: { anyOf: [pet, { type: 'string' }] },
  invalidExamples: objectOf({ id: { type: 'integer', example: 'seven' }, name: { type: 'string', default: 5 } }),
  invalidOptionalField: objectOf({ id: { type: 'integer' }, odd: { type: 'string', pattern: '^(?=a)b' } }, ['id']),
  anything: {},
  always: objectOf({ any: true }),
};

describe('the sample of an awkward schema', () => {
  for (const [openapi, cases] of [
    ['3.0.4', cases30],
    ['3.1.0', cases31],
  ] as const) {
    const operations = Object.entries(cases).map(([name, schema]) => [name, jsonOf(schema)] as const);
    const document = contractOf(Object.fromEntries(operations), { openapi, schemas });
    const mock = useMockOf(document);

    for (const [name, schema] of Object.entries(cases))
      it(`is valid for ${name} in OpenAPI ${openapi}`, async () => {
        const { status, type, text } = await mock.send(`/${name}`);
        expect([status, type], text).to.deep.equal([200, 'application/json']);
        expect(errorsOf(document, schema, JSON.parse(text)), text).to.deep.equal([]);
      });
  }

  it('has no fields that are writeOnly, and those that are readOnly', async () => {
    const schema = objectOf({ id: { type: 'integer', readOnly: true }, secret: { type: 'string', writeOnly: true } });
    const { send } = await startMockOf(contractOf({ account: jsonOf(schema) }));
    expect(JSON.parse((await send('/account')).text)).to.deep.equal({ id: 0 });
  });

  it('is above an exclusive minimum of OpenAPI 3.0', async () => {
    const schema = { type: 'integer', minimum: 5, exclusiveMinimum: true };
    const { send } = await startMockOf(contractOf({ above: jsonOf(schema) }, { openapi: '3.0.4' }));
    expect(await send('/above')).to.include({ status: 200, text: '6' });
  });

  it('keeps the valid examples of fields beside an invalid one', async () => {
    const schema = objectOf({ name: { type: 'string', example: 'Rex' }, age: { type: 'integer', example: 'old' } });
    const { send } = await startMockOf(contractOf({ dog: jsonOf(schema) }));
    expect(JSON.parse((await send('/dog')).text)).to.deep.equal({ name: 'Rex', age: 0 });
  });
});
