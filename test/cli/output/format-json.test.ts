import { expect } from 'chai';
import fc from 'fast-check';
import { formatJson } from '#src/cli/output/format.js';
import { jsonValue } from '../../support/json-value.js';

describe('formatJson', () => {
  it('formats every value of JSON like JSON.stringify', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(formatJson(value)).to.equal(JSON.stringify(value, undefined, 2));
      }),
    );
  });

  it('formats a bigint as an integer, and omits members that are undefined', () => {
    expect(formatJson({ a: [2n ** 63n - 1n, -(2n ** 63n)], b: undefined })).to.equal(
      '{\n  "a": [\n    9223372036854775807,\n    -9223372036854775808\n  ]\n}',
    );
  });
});
