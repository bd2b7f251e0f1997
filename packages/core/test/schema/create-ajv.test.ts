import { expect } from 'chai';
import { schemasOf } from '#dist/contract/schemas.js';
import { parseJson } from '#dist/json/exact-json.js';
import { createAjv } from '#dist/schema/create-ajv.js';
import { describeErrors } from '#dist/schema/validation-messages.js';

const versions = ['3.0.4', '3.1.1'] as const;

interface Options {
  readonly openapi?: string;
  readonly schemas?: object;
  readonly message?: 'request' | 'response';
}

/** The value of a field after validation by a schema, or what is wrong with it. */
function validated(schema: object, json: string, { openapi = '3.0.4', schemas = {}, message }: Options = {}) {
  const parent = parseJson(Buffer.from(`{"line":{"value":${json}}}`)) as { line: { value: unknown } };
  const ajv = createAjv(schemasOf({ openapi, components: { schemas } }), message);
  const validate = ajv.compile({
    type: 'object',
    properties: { line: { type: 'object', properties: { value: schema } } },
  });
  return validate(parent) ? parent.line.value : describeErrors(validate.errors ?? []);
}

/** Asserts which values, given as JSON, a schema allows. */
function expectAllowed(schema: object, allowed: readonly string[], rejected: readonly string[], openapi?: string) {
  const options = openapi === undefined ? {} : { openapi };
  for (const json of allowed) expect(validated(schema, json, options), json).to.deep.equal(JSON.parse(json));
  for (const json of rejected) expect(validated(schema, json, options), json).to.match(/^`?(value|The)/);
}

describe('createAjv', () => {
  it('accepts integers within their bounds: those of the schema, of the format, or those that a double has exactly', () => {
    const safeMax = BigInt(Number.MAX_SAFE_INTEGER);
    for (const [schema, [lowest, highest]] of [
      [{ minimum: 1, maximum: 100 }, [1n, 100n]],
      [{ format: 'int32', minimum: -(2 ** 40) }, [-(2n ** 31n), 2n ** 31n - 1n]],
      [{ format: 'int64' }, [-(2n ** 63n), 2n ** 63n - 1n]],
      [{ format: 'int64', maximum: 2 ** 63 }, [-(2n ** 63n), 2n ** 63n - 1n]],
      [{}, [-safeMax, safeMax]],
      [{ minimum: 0.5, maximum: 9.5, exclusiveMaximum: true }, [1n, 9n]],
      [{ minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true }, [1n, 8n]],
      [{ minimum: 0, exclusiveMinimum: false, maximum: 9 }, [0n, 9n]],
    ] as const) {
      const integer = { type: 'integer', ...schema };
      for (const value of [lowest, highest])
        expect(BigInt(validated(integer, String(value)) as number)).to.equal(value);
      for (const value of [lowest - 1n, highest + 1n])
        expect(validated(integer, String(value))).to.equal(
          `\`value\` must be an integer from ${String(lowest)} to ${String(highest)}.`,
        );
    }
    expectAllowed({ type: 'integer' }, ['0', '-1'], ['1.5', '1.0', '1e3', '"1"', 'true', 'null']);
    expectAllowed({ type: 'array', items: { type: 'integer' } }, ['[1, 2]'], ['[1, 2.0]']);
    for (const [json, message] of [
      ['5.0', 'must be written without a fraction or an exponent.'],
      ['6.0', 'must be an integer, at most 5.'],
      ['0.5', 'must be an integer, at most 5.'],
      ['"5.0"', 'must be an integer, at most 5.'],
      ['-9007199254740992', 'must be an integer from -9007199254740991 to 5.'],
    ] as const)
      expect(validated({ type: 'integer', maximum: 5 }, json), json).to.equal(`\`value\` ${message}`);
  });

  it('accepts any double for a number, within its bounds', () => {
    const double = { type: 'number' };
    expectAllowed(double, ['0', '1.0', '19.99', '-1e-7', '1e300', '12345678901234567890'], ['"1"', 'null', '[]']);
    expect(validated(double, '9223372036854775807')).to.equal(2 ** 63);
    expectAllowed({ ...double, minimum: 0, maximum: 1 }, ['0', '0.5', '1.0'], ['-0.1', '1.1', '9007199254740993']);
    expectAllowed({ ...double, minimum: 0, exclusiveMinimum: true }, ['0.1'], ['0', '-0.0']);
    expectAllowed({ ...double, minimum: 0, exclusiveMinimum: false }, ['0'], ['-0.1']);
    expectAllowed({ ...double, exclusiveMinimum: 0, exclusiveMaximum: 1 }, ['0.1'], ['0', '1'], '3.1.1');
    expectAllowed({ ...double, multipleOf: 0.01 }, ['19.99', '0.07', '19999999.99', '3'], ['19.999', '0.001']);
    const sevens = { type: 'integer', format: 'int64', multipleOf: 7 };
    expectAllowed(sevens, ['14', '-7'], ['15', '9223372036854775806']);
    expect(validated(sevens, '9223372036854775807')).to.equal(2n ** 63n - 1n);
    expect(validated({ ...double, exclusiveMinimum: 0, maximum: 9 }, '10', { openapi: '3.1.1' })).to.equal(
      '`value` must be a number, above 0, at most 9.',
    );
    expect(
      validated({ ...double, minimum: 0, exclusiveMaximum: 1, multipleOf: 0.5 }, '7', { openapi: '3.1.1' }),
    ).to.equal('`value` must be a number, at least 0, below 1, a multiple of 0.5.');
  });

  it('accepts null for a type that is nullable in its version only', () => {
    for (const type of ['integer', 'number', 'string', 'boolean']) {
      const values = { integer: '5', number: '0.5', string: '"a"', boolean: 'true' }[type] ?? '';
      expectAllowed({ type, nullable: true }, ['null', values], ['{}']);
      expectAllowed({ type: [type, 'null'] }, ['null', values], ['{}'], '3.1.1');
      expectAllowed({ type, nullable: false }, [values], ['null']);
    }
    const schemas = { Name: { type: 'string' } };
    const name = { nullable: true, allOf: [{ $ref: '#/components/schemas/Name' }] };
    for (const [json, value] of [
      ['null', null],
      ['"a"', 'a'],
    ] as const)
      expect(validated(name, json, { schemas })).to.equal(value);
    expect(validated(name, '1', { schemas })).to.match(/^`value` must/);
    expect(validated({ type: ['integer', 'null'], maximum: 5 }, '6', { openapi: '3.1.1' })).to.equal(
      '`value` must be an integer, at most 5 or null.',
    );
    const either = { anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] };
    expect(validated(either, '"a"', { openapi: '3.1.1' })).to.equal('`value` must have at least 2 characters.');
  });

  it('fills in the default of a referenced schema, and in 3.1 applies the siblings of a reference', () => {
    const schemas = { Name: { type: 'string', default: 'Rex' } };
    const $ref = '#/components/schemas/Name';
    const schema = { type: 'object', properties: { a: { $ref }, b: { $ref, default: 'M', maxLength: 1 } } };
    const [old, recent] = versions.map((openapi) => (json: string) => validated(schema, json, { openapi, schemas }));
    expect([old?.('{}'), recent?.('{}')]).to.deep.equal([
      { a: 'Rex', b: 'Rex' },
      { a: 'Rex', b: 'M' },
    ]);
    expect(old?.('{"b":"Mia"}')).to.deep.include({ b: 'Mia' });
    expect(recent?.('{"b":"Mia"}')).to.equal('`value.b` must have at most 1 character.');
  });

  it('fills in the default of a schema without a type that is nullable', () => {
    const status = { nullable: true, default: 'sold', allOf: [{ type: 'string' }] };
    expect(validated({ type: 'object', properties: { status } }, '{}')).to.deep.equal({ status: 'sold' });
  });

  it('fills in no default of a schema that may not apply, also through references', () => {
    // Ajv inlines schemas without references.
    const properties = { owner: { $ref: '#/components/schemas/Owner' } };
    const kind = (value: string) => ({ enum: [value] });
    const currency = { type: 'string', default: 'eur' };
    const schemas = {
      Owner: { type: 'object', properties: { currency } },
      Card: { type: 'object', properties: { ...properties, kind: kind('card'), currency } },
      Cash: { type: 'object', properties: { ...properties, kind: kind('cash') }, additionalProperties: false },
    };
    const [card, cash] = ['Card', 'Cash'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const sent = '{"kind":"cash","owner":{}}';
    const received = { kind: 'cash', owner: { currency: 'eur' } };
    const without = { kind: 'cash', owner: {} };
    for (const openapi of versions)
      for (const [schema, value] of [
        [{ oneOf: [card, cash] }, without],
        [{ anyOf: [card, cash] }, without],
        [{ allOf: [{ not: card }, cash] }, received],
        [{ allOf: [{ anyOf: [{ not: card }] }, cash] }, received],
        [{ anyOf: [cash, { type: 'null' }] }, received],
      ] as const)
        expect(validated(schema, sent, { openapi, schemas }), JSON.stringify(schema)).to.deep.equal(value);
    const conditional = { allOf: [{ if: card, then: false }, cash] };
    expect(validated(conditional, sent, { openapi: '3.1.1', schemas })).to.deep.equal(received);
  });

  it('validates with the dialect of the version', () => {
    const tuple = { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }], items: false };
    expectAllowed(tuple, ['[1, "a"]'], ['[1, 2]', '[1, "a", 2]'], '3.1.1');
    const closed = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    expect(validated(closed, '{"b":1}', { openapi: '3.1.1' })).to.equal('Unknown field `value.b`; none are allowed.');
    expectAllowed({ const: 'a' }, ['"a"'], ['"b"'], '3.1.1');
  });

  it('validates the formats of the table, and ignores any other', () => {
    for (const [format, valid, wrong] of [
      ['email', 'a@b.example', 'a'],
      ['uri', 'https://a.example/', 'a b'],
      ['uuid', '2f1b3c9e-8f0a-4b6e-9d3c-1a2b3c4d5e6f', '2f1b'],
      ['date', '2026-02-28', '2026-02-30'],
      ['date-time', '2026-02-28T12:00:00Z', '2026-02-28'],
      ['time', '12:00:00Z', '25:00:00Z'],
      ['ipv4', '127.0.0.1', '256.0.0.1'],
      ['ipv6', '::1', ':::'],
      ['hostname', 'a.example', '-a'],
      ['byte', 'YQ==', 'a'],
    ] as const) {
      for (const openapi of versions) {
        const schema = { type: 'string', format };
        expect(validated(schema, JSON.stringify(valid), { openapi }), format).to.equal(valid);
        expect(validated(schema, JSON.stringify(wrong), { openapi })).to.equal(
          `\`value\` must have the format ${format}.`,
        );
      }
    }
    for (const format of ['password', 'binary', 'colour'])
      expect(validated({ type: 'string', format }, '"a"')).to.equal('a');
    for (const format of ['float', 'double', 'money']) expectAllowed({ type: 'number', format }, ['0.1'], ['"a"']);
  });

  it('names the errors of the branch that the discriminator selects only', () => {
    const schemas = {
      Card: {
        type: 'object',
        required: ['kind', 'number'],
        properties: { kind: { type: 'string' }, number: { type: 'integer' } },
      },
      Bank: {
        type: 'object',
        required: ['kind', 'iban'],
        properties: { kind: { const: 'bank' }, iban: { type: 'string' } },
      },
    };
    const $refs = Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const mapping = { credit_card: '#/components/schemas/Card', debit_card: 'Card' };
    for (const keyword of ['oneOf', 'anyOf']) {
      const mapped = { [keyword]: $refs, discriminator: { propertyName: 'kind', mapping } };
      const result = (json: string, schema: object = mapped) => validated(schema, json, { openapi: '3.1.1', schemas });
      expect(result('{"kind":"debit_card","number":1}')).to.deep.include({ kind: 'debit_card', number: 1 });
      expect(result('{"kind":"bank","iban":"x"}')).to.deep.include({ iban: 'x' });
      expect(result('{"kind":"credit_card","number":"1"}')).to.match(
        /^`value.number` must be an integer from \S+ to \S+$/,
      );
      expect(result('{"kind":"bank"}')).to.equal('Missing field `value.iban`.');
      expect(result('{"kind":"cash"}')).to.equal('`value.kind` must be one of: credit_card, debit_card, bank.');
      expect(result('{}')).to.equal('Missing field `value.kind`.');
      expect(result('1')).to.equal('`value` must be a JSON object.');
      const named = { [keyword]: $refs, discriminator: { propertyName: 'kind' } };
      expect(result('{"kind":"Card","number":1}', named)).to.deep.include({ number: 1 });
    }
    const Either = { properties: { kind: { enum: ['cash', 'bank'] } } };
    const $ref = '#/components/schemas/Either';
    const either = { oneOf: [{ $ref }, $refs[1]], discriminator: { propertyName: 'kind' } };
    const both = { openapi: '3.1.1', schemas: { ...schemas, Either } };
    expect(validated(either, '{"kind":"bank","iban":"x"}', both)).to.match(/exactly one schema in oneOf/);
    const { oneOf: anyOf, discriminator } = either;
    expect(validated({ anyOf, discriminator }, '{"kind":"bank","iban":"x"}', both)).to.deep.include({ iban: 'x' });
    expectAllowed({ type: 'object', discriminator }, ['{}', '{"kind":"cash"}'], ['1']);
    const mapped = { ...either, discriminator: { ...either.discriminator, mapping: { cash: $ref } } };
    expect(validated(mapped, '{"kind":"bank","iban":"x"}', both)).to.match(/exactly one schema in oneOf/);
    const ambiguous = validated({ oneOf: $refs }, '{"kind":"bank"}', { openapi: '3.1.1', schemas });
    expect(ambiguous).to.equal('`value` must match exactly one schema in oneOf.');
  });

  it('rejects fields of a request that are read-only, and requires none of them', () => {
    const schemas = { Id: { type: 'integer', readOnly: true }, Name: { type: 'string' } };
    const [other, name] = [{ $ref: '#/components/schemas/Id' }, { $ref: '#/components/schemas/Name', readOnly: true }];
    const properties = { id: schemas.Id, other, name, a: {} };
    const schema = { type: 'object', required: ['id', 'a'], properties };
    const received = (json: string) => validated(schema, json, { openapi: '3.1.1', message: 'request', schemas });
    expect(received('{"a":1}')).to.deep.include({ a: 1 });
    expect(received('{}')).to.equal('Missing field `value.a`.');
    for (const sent of ['id', 'other', 'name'])
      expect(received(`{"a":1,"${sent}":1}`)).to.equal(`\`value.${sent}\` is not allowed. Do not send it.`);
    expect(validated(schema, '{"a":1}', { schemas })).to.equal('Missing field `value.id`.');
  });

  it('rejects fields of a response that are write-only, requires none of them, and fills in no defaults', () => {
    const properties = { a: { default: 1 }, secret: { type: 'string', writeOnly: true } };
    const schema = { type: 'object', required: ['secret'], properties };
    const message = 'response';
    expect(validated(schema, '{}', { message })).to.deep.equal({});
    expect(validated(schema, '{"secret":""}', { message })).to.equal('`value.secret` is not allowed. Do not send it.');
    expect(validated(schema, '{}')).to.equal('Missing field `value.secret`.');
  });

  it('ignores the examples of schemas, which may repeat an `$id`', () => {
    const properties = {
      a: { type: 'integer', example: { $id: 'one' } },
      b: { type: 'string', example: { $id: 'one' } },
    };
    expectAllowed({ type: 'object', properties }, ['{"a":1,"b":"x"}'], ['{"a":"x"}']);
  });

  it('ignores `$async` of Ajv, which is no keyword of JSON Schema', () => {
    const inner = { type: 'object', $async: true, properties: { a: { type: 'string', $async: true } } };
    expectAllowed(inner, ['{"a":"x"}'], ['{"a":1}', '1'], '3.1.1');
  });

  it('matches a pattern in Unicode mode, or in the other one if it is invalid there', () => {
    expectAllowed({ type: 'string', pattern: '^\\u{1F40E}$' }, ['"🐎"'], ['"u{1F40E}"']);
    expectAllowed({ type: 'string', pattern: '^[a-z\\:\\-]+$' }, ['"a:b-c"'], ['"a_b"']);
  });
});
