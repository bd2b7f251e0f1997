import { expect } from 'chai';
import { createAjv } from '#src/openapi/create-ajv.js';

describe('createAjv', () => {
  /** The value after validation by a schema, or `undefined` if it is invalid. */
  const validated = (schema: object, value: unknown, readsText = false): unknown => {
    const parent = { value };
    const validate = createAjv(readsText).compile({ type: 'object', properties: { value: schema } });
    return validate(parent) ? parent.value : undefined;
  };

  it('accepts integers within their bounds: those of the schema, of int64, or those that a double has exactly', () => {
    const safeMax = Number.MAX_SAFE_INTEGER;
    for (const [schema, [lowest, highest]] of [
      [{ minimum: 1, maximum: 100 }, [1n, 100n]],
      [{ format: 'int64' }, [-(2n ** 63n), 2n ** 63n - 1n]],
      [{}, [BigInt(-safeMax), BigInt(safeMax)]],
    ] as const) {
      const integer = { type: 'integer', ...schema };
      for (const value of [lowest, highest]) expect(validated(integer, value)).to.equal(value);
      for (const value of [lowest - 1n, highest + 1n]) expect(validated(integer, value)).to.equal(undefined);
    }
    for (const value of [1.5, '1', true, null, NaN]) expect(validated({ type: 'integer' }, value)).to.equal(undefined);
  });

  it('accepts null for an integer that is nullable only', () => {
    const nullable = { type: 'integer', maximum: 5, nullable: true };
    expect(validated(nullable, null)).to.equal(null);
    expect(validated(nullable, 5)).to.equal(5);
    expect(validated(nullable, 6)).to.equal(undefined);
    expect(validated({ ...nullable, nullable: false }, null)).to.equal(undefined);
  });

  it('replaces text by integers and booleans, if it reads text', () => {
    expect(validated({ type: 'integer' }, '12', true)).to.equal(12);
    expect(validated({ type: 'integer' }, '0x10', true)).to.equal(undefined);
    expect(['true', 'false', '', 'x'].map((text) => validated({ type: 'boolean' }, text, true))).to.deep.equal([
      ...[true, false],
      ...[undefined, undefined],
    ]);
    expect(validated({ type: 'array', items: { type: 'boolean' } }, ['true'], true)).to.deep.equal([true]);
    expect(validated({ type: 'boolean' }, 'true')).to.equal(undefined);
    expect(validated({ type: 'boolean' }, true)).to.equal(true);
  });

  it('matches a pattern also without the invisible characters', () => {
    const schema = { type: 'string', pattern: '^[^x]+$', 'x-invisible': '[\\u{E0001}\\u200B]' };
    expect(validated(schema, 'a\u200Bb')).to.equal('a\u200Bb');
    for (const text of ['\u200B\u200B', '\u{E0001}', '\u200Bx\u200B'])
      expect(validated(schema, text)).to.equal(undefined);
    const compile = (invalid: object) => () => createAjv(false).compile(invalid);
    expect(compile({ type: 'string', 'x-invisible': 'a' })).to.throw('x-invisible without a pattern');
  });

  it('rejects schemas that it cannot check exactly', () => {
    const compile = (schema: object) => () => createAjv(false).compile(schema);
    expect(compile({ properties: { weight: { type: 'number' } } })).to.throw('has a schema of type number');
    expect(compile({ type: 'string', format: 'colour' })).to.throw(
      /^The contract cannot be checked as it is written: unknown format "colour"/,
    );
    expect(compile({ type: 'string', minLength: 'x' })).to.throw('minLength must be integer');
  });
});
