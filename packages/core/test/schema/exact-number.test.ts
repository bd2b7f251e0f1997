import { expect } from 'chai';
import { schemasOf } from '#dist/contract/schemas.js';
import { parseJson } from '#dist/json/exact-json.js';
import { createAjv } from '#dist/schema/create-ajv.js';

const number = { type: 'number' };

/** Whether a JSON text is valid. */
function isValid(schema: object, json: string, openapi: string): boolean {
  const validate = createAjv(schemasOf({ openapi }), 'request').compile({ properties: { value: schema } });
  return validate(parseJson(Buffer.from(`{"value":${json}}`)));
}

describe('multipleOf', () => {
  for (const [multipleOf, multiples, others] of [
    [0.01, ['1234567.89', '19.99', '1e300', '0', '-0.07'], ['1234567.891', '1e-7', '0.005', '1234567.8900001']],
    [0.0001, ['54321.9876', '1e-4'], ['54321.98765', '0.00015', '1e-5']],
    [0.5, ['300000000.5', '1e15'], ['300000000.25', '0.1']],
    [1e-7, ['1e-7', '0.0000003', '5'], ['1.5e-7', '0.00000005']],
    [3, ['-9', '3e20'], ['1e300', '9.5']],
    [1e20, ['1e20', '3e20', '0'], ['1e19', '150000000000000000000']],
    [0, [], ['1', '0.5']],
  ] as const)
    it(`is decided on decimals, for ${String(multipleOf)}`, () => {
      for (const json of multiples) expect(isValid({ ...number, multipleOf }, json, '3.0.4'), json).to.equal(true);
      for (const json of others) expect(isValid({ ...number, multipleOf }, json, '3.0.4'), json).to.equal(false);
    });
});

describe('an integer', () => {
  const integers = [{ type: 'integer' }, { type: 'integer', format: 'int64' }];
  for (const json of ['1.0', '1e2', '100E-2', '-5.00', '9007199254740991.0'])
    it(`can be written as ${json} in OpenAPI 3.1, where JSON Schema calls it one, but not in 3.0`, () => {
      for (const schema of integers) {
        expect(isValid(schema, json, '3.1.1')).to.equal(true);
        expect(isValid(schema, json, '3.0.4')).to.equal(false);
      }
    });

  for (const json of ['1.5', '1e-1', '9007199254740993.0', '1e300', '"1.0"'])
    it(`is not ${json}, which is none or not exact`, () => {
      for (const openapi of ['3.0.4', '3.1.1'])
        for (const schema of integers) expect(isValid(schema, json, openapi)).to.equal(false);
    });
});
