import { expect } from 'chai';
import { type SchemaDocument, schemasOf } from '#dist/contract/schemas.js';
import { findTextParser } from '#dist/schema/parse-text.js';

const noSchemas = schemasOf({ openapi: '3.1.1' });

describe('findTextParser', () => {
  const parse = (schema: object, text: string) => (findTextParser(noSchemas, schema as never) ?? String)(text);

  it('parses integers, numbers and booleans, and leaves any other text unchanged, which is then invalid', () => {
    for (const [type, text, value] of [
      ['integer', '12', 12],
      ['integer', '9223372036854775807', 2n ** 63n - 1n],
      ['number', '-0.5', -0.5],
      ['number', '12', 12],
      ['boolean', 'true', true],
      ['boolean', 'false', false],
      ['string', '12', '12'],
    ] as const)
      expect(parse({ type }, text), text).to.equal(value);
    for (const text of [
      ...['', ' ', ' 5', '5 ', '+5', '007', '0x10'],
      ...['1e1', '1E1', '.5', '5.', '1_0', '٣', 'NaN', 'Infinity'],
    ])
      for (const type of ['integer', 'number']) expect(parse({ type }, text), text).to.equal(text);
    for (const text of ['', 'TRUE', '1', '0', 'constructor']) expect(parse({ type: 'boolean' }, text)).to.equal(text);
    expect(parse({ type: 'integer' }, '1.0')).to.equal('1.0');
  });

  it('derives the type from every part of a schema', () => {
    for (const schema of [
      { enum: [1, 2] },
      { const: 1 },
      { type: ['integer', 'null'] },
      { type: 'array', items: { type: 'integer' } },
      { allOf: [{ type: 'integer' }, { maximum: 9 }] },
      { anyOf: [{ type: 'integer' }, { type: 'string' }] },
      { oneOf: [{ type: 'boolean' }, { type: 'number' }] },
    ]) {
      expect(parse(schema, '1'), JSON.stringify(schema)).to.equal(1);
      expect(parse(schema, 'x')).to.equal('x');
    }
    const document = { a: { $ref: '#/b' }, b: { anyOf: [{ type: 'integer' }, { items: { $ref: '#/a' } }] } };
    for (const schema of [{ $ref: '#/a' }, { allOf: [{ $ref: '#/a' }] }, { $ref: '#/c', type: 'integer' }])
      expect(
        findTextParser(schemasOf({ openapi: '3.1.1', ...document, c: {} } as SchemaDocument), schema)?.('1'),
        JSON.stringify(schema),
      ).to.equal(1);
    expect(findTextParser(noSchemas, { type: 'string' })).to.equal(undefined);
    expect(findTextParser(noSchemas)).to.equal(undefined);
    expect(noSchemas.allows('array', { anyOf: [{ type: 'array', items: {} }, { type: 'null' }] })).to.equal(true);
    expect(noSchemas.allows('array', { type: 'object', properties: { a: { type: 'array' } } })).to.equal(false);
  });
});
