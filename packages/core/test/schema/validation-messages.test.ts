import { inspect } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { schemasOf } from '#dist/contract/schemas.js';
import { createAjv } from '#dist/schema/create-ajv.js';
import { describeErrors, invalidRequest } from '#dist/schema/validation-messages.js';

/** A body whose fields have descriptions of their rules. */
const requestBody = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'categoryId'],
  properties: {
    name: {
      type: 'string',
      maxLength: 255,
      pattern: '^ *[^\\x00-\\x20][^\\x00-\\x1F]*$',
      'x-allowed': {
        maxLength: '1 to 255 characters',
        pattern: 'at least one visible character, and no control characters',
      },
    },
    categoryId: { type: 'integer', format: 'int64' },
    status: { type: 'string', enum: ['available', 'pending', 'sold'] },
  },
};
const names = { type: 'array', maxItems: 1, items: { type: 'string' }, 'x-allowed': 'at most 1 item' };

/** The parts of a request in one object, as validated by an operation. */
const requestSchema = {
  type: 'object',
  required: ['requestBody'],
  properties: {
    path: { type: 'object', properties: { petId: { type: 'integer', format: 'int64' } } },
    query: {
      type: 'object',
      additionalProperties: false,
      required: ['q'],
      properties: { q: {}, limit: { type: 'integer', minimum: 1, maximum: 100 }, open: { type: 'boolean' }, names },
    },
    header: { type: 'object', properties: { 'idempotency-key': { type: 'string', minLength: 3 } } },
    requestBody,
    line: {
      type: 'object',
      properties: {
        'a/b': { type: 'object', properties: { 'c~d': { type: 'boolean' } } },
        empty: { type: 'object', additionalProperties: false },
      },
    },
  },
};
const ajv = createAjv(schemasOf({ openapi: '3.0.4' }));
const validateJson = ajv.compile(requestSchema);
const rex = { name: 'Rex', categoryId: 7 };
const allowed = 'allowed: `name`, `categoryId`, `status`.';

function messageOf(values: unknown, validate: typeof validateJson = validateJson): string {
  validate(values);
  return describeErrors(validate.errors ?? []);
}

describe('describeErrors', () => {
  const query = (values: object) => ({ query: { q: '', ...values }, requestBody: rex });
  const body = (values: object) => ({ requestBody: values });
  const line = (values: object) => ({ requestBody: rex, line: values });
  const range = 'an integer from -9223372036854775808 to 9223372036854775807';
  const visible = '`name` must have at least one visible character, and no control characters.';

  const cases: readonly (readonly [values: unknown, message: string])[] = [
    [[], 'The request must be a JSON object.'],
    [{}, 'The body is required.'],
    [body([]), 'The body must be a JSON object.'],
    [body({}), 'Missing body field `name`. Missing body field `categoryId`.'],
    [body({ ...rex, id: 1, age: 3 }), `Unknown body field \`id\`; ${allowed} Unknown body field \`age\`; ${allowed}`],
    [body({ ...rex, name: '' }), visible],
    [body({ ...rex, name: ' ' }), visible],
    [body({ ...rex, name: 'a\u0000' }), visible],
    [body({ ...rex, name: 'x'.repeat(256) }), '`name` must have 1 to 255 characters.'],
    // One sentence for a value that violates several rules.
    [
      body({ ...rex, name: 5, status: 5 }),
      '`name` must be a string. `status` must be one of: available, pending, sold.',
    ],
    [body({ ...rex, categoryId: '1' }), `\`categoryId\` must be ${range}.`],
    [{ query: {}, requestBody: rex }, 'Missing query parameter `q`.'],
    [query({ page: 2 }), 'Unknown query parameter `page`; allowed: `q`, `limit`, `open`, `names`.'],
    [query({ limit: 101 }), '`limit` must be an integer from 1 to 100.'],
    [query({ limit: ['1', '2'] }), '`limit` must be sent only once.'],
    [query({ names: ['Rex', 'Mia'] }), '`names` must have at most 1 item.'],
    [query({ names: [['Rex']] }), '`names.0` must be a string.'],
    [{ header: { 'idempotency-key': 'ab' }, requestBody: rex }, '`Idempotency-Key` must have at least 3 characters.'],
    [line([]), 'The line must be a JSON object.'],
    [line({ 'a/b': { 'c~d': 1 } }), '`a/b.c~d` must be true or false.'],
    [line({ empty: { a: 1 } }), 'Unknown field `empty.a`; none are allowed.'],
  ];
  for (const [values, message] of cases)
    it(`describes ${JSON.stringify(values).slice(0, 80)} as: ${message}`, () => {
      expect(messageOf(values).split(/(?<=\.) /)).to.have.members(message.split(/(?<=\.) /));
    });

  const keywords: readonly (readonly [schema: object, value: unknown, message: string])[] = [
    [{ const: 'b' }, 1, '`a` must be b.'],
    [{ enum: [1, null] }, 2, '`a` must be one of: 1, null.'],
    [{ type: ['string', 'null'] }, 1, '`a` must be a string or null.'],
    [{ maxLength: 1 }, 'ab', '`a` must have at most 1 character.'],
    [{ pattern: '^b' }, 'a', '`a` must match the pattern ^b.'],
    [{ format: 'date' }, 'a', '`a` must have the format date.'],
    [{ minItems: 2 }, [1], '`a` must have at least 2 items.'],
    [{ maxItems: 1 }, [1, 2], '`a` must have at most 1 item.'],
    [{ prefixItems: [{}], items: false }, [1, 2], '`a` must have at most 1 item.'],
    [{ prefixItems: [{}], unevaluatedItems: false }, [1, 2], '`a` must have at most 1 item.'],
    [{ uniqueItems: true }, [1, 1], '`a` must have no two equal items.'],
    [{ contains: { const: 1 } }, [], '`a` must contain at least 1 valid item(s).'],
    [{ minProperties: 1 }, {}, '`a` must have at least 1 field.'],
    [{ maxProperties: 1 }, { b: 1, c: 2 }, '`a` must have at most 1 field.'],
    [{ propertyNames: { maxLength: 1 } }, { bc: 1 }, '`a.bc` has a name that is not allowed.'],
    [{ dependentRequired: { b: ['c'] } }, { b: 1 }, 'Missing field `a.c`.'],
    [{ minimum: 1 }, 0, '`a` must be >= 1.'],
    [{ not: { const: 1 } }, 1, '`a` must not match the schema in not.'],
    [{ anyOf: [{ const: 1 }, { const: 2 }] }, 3, '`a` must match a schema in anyOf.'],
    [{ if: {}, then: { minLength: 2 } }, 'b', '`a` must have at least 2 characters.'],
  ];
  const ajv2020 = createAjv(schemasOf({ openapi: '3.1.1' }));
  for (const [schema, value, message] of keywords)
    it(`describes ${JSON.stringify(schema)} as: ${message}`, () => {
      expect(
        messageOf({ line: { a: value } }, ajv2020.compile({ properties: { line: { properties: { a: schema } } } })),
      ).to.equal(message);
    });

  it('describes parameters, which are text, by the values that they stand for', () => {
    expect(messageOf({ path: { petId: 'x' }, requestBody: {} })).to.contain(`\`petId\` must be ${range}.`);
    expect(messageOf(query({ open: 'yes' }))).to.contain('`open` must be true or false.');
  });

  it('says that an operation takes no query parameters', () => {
    const none = { type: 'object', properties: { query: { type: 'object', additionalProperties: false } } };
    expect(messageOf({ query: { page: '2' } }, ajv.compile(none))).to.equal(
      'Unknown query parameter `page`; this operation takes none.',
    );
  });

  it('describes ten errors and counts the others, unless there are so many that not all are collected', () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${String(index)}`, 1]));
    const message = (count: number) => messageOf(body({ ...rex, ...unknown(count) }));
    expect(message(10))
      .to.contain('Unknown body field `f9`')
      .and.not.match(/more\./);
    expect(message(11))
      .to.match(/ And 1 more\.$/)
      .and.not.contain('f10');
    expect(message(100)).to.match(/ And 90 more\.$/);
    expect(message(101)).to.match(/[^0] And more\.$/);
    expect(message(5000))
      .to.match(/ And more\.$/)
      .and.have.lengthOf.below(1000);
  });

  it('truncates names at 64 characters, never within a character', () => {
    for (const [name, shown] of [
      ['x'.repeat(64), 'x'.repeat(64)],
      ['😀'.repeat(64), '😀'.repeat(64)],
      ['😀'.repeat(65), `${'😀'.repeat(64)}…`],
    ] as const) {
      expect(messageOf(body({ ...rex, [name]: 1 }))).to.equal(`Unknown body field \`${shown}\`; ${allowed}`);
    }
  });

  it('names a field as sent, whatever characters its name has', () => {
    const name = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !(text in { ...rex, status: '' }));
    fc.assert(
      fc.property(fc.oneof(name, fc.constantFrom('~', '~1', '~0', 'a~1b', 'a/b', '__proto__', '.')), (field) => {
        const requestBody = Object.assign(Object.create(null), rex) as Record<string, unknown>;
        requestBody[field] = 1;
        const shown = `Unknown body field \`${field === '' ? '""' : field}\`; ${allowed}`;
        expect(messageOf({ requestBody })).to.equal(shown);
        const { violations } = invalidRequest(validateJson.errors ?? []);
        const pointer = `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const keyword = 'additionalProperties';
        expect(violations).to.deep.equal([{ in: 'body', pointer, message: shown, keyword }]);
      }),
    );
  });
});

describe('the keyword of a violation', () => {
  const query = { q: 1 };
  const number = { type: ['number', 'null'], exclusiveMinimum: 0, maximum: 9, multipleOf: 0.5 };
  const validateNumber = createAjv(schemasOf({ openapi: '3.1.0' })).compile({ properties: { requestBody: number } });

  for (const [keyword, values, validate] of [
    ['required', { requestBody: rex, query: {} }, validateJson],
    ['additionalProperties', { requestBody: { ...rex, tag: 1 } }, validateJson],
    ['type', { requestBody: { ...rex, name: 7 } }, validateJson],
    ['maxLength', { requestBody: { ...rex, name: 'x'.repeat(256) } }, validateJson],
    ['pattern', { requestBody: { ...rex, name: ' ' } }, validateJson],
    ['enum', { requestBody: { ...rex, status: 'lost' } }, validateJson],
    ['type', { requestBody: { ...rex, categoryId: '7' } }, validateJson],
    ['type', { requestBody: { ...rex, categoryId: 7.5 } }, validateJson],
    ['maximum', { requestBody: { ...rex, categoryId: 2n ** 63n } }, validateJson],
    ['minimum', { requestBody: rex, query: { ...query, limit: 0 } }, validateJson],
    ['maximum', { requestBody: rex, query: { ...query, limit: 101 } }, validateJson],
    ['type', { requestBody: 'one' }, validateNumber],
    ['exclusiveMinimum', { requestBody: 0 }, validateNumber],
    ['maximum', { requestBody: 9.5 }, validateNumber],
    ['multipleOf', { requestBody: 1.2 }, validateNumber],
  ] as const)
    it(`is ${keyword} for ${inspect(values, { maxStringLength: 10 })}`, () => {
      validate(values);
      expect(invalidRequest(validate.errors ?? []).violations.map((each) => each.keyword)).to.deep.equal([keyword]);
    });
});
