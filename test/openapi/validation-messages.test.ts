import { expect } from 'chai';
import fc from 'fast-check';
import { createAjv } from '#src/openapi/create-ajv.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { describeErrors } from '#src/openapi/validation-messages.js';

const { document } = await readContract(contractUrl);
const unknownNames = 'is unknown. Allowed: name, categoryId, status.';

const { schemas } = (document as unknown as { components: { schemas: Record<string, object> } }).components;
/** The parts of a request in one object, as validated by an operation. */
const requestSchema = {
  type: 'object',
  properties: {
    path: { type: 'object', properties: { petId: { type: 'integer', format: 'int64' } } },
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        names: { type: 'array', maxItems: 1, 'x-allowed': 'at most 1 item' },
      },
    },
    requestBody: schemas['NewPet'],
  },
  components: { schemas },
};
const validateJson = createAjv(false).compile(requestSchema);
const validateText = createAjv(true).compile(requestSchema);

function faultsOf(values: object, validate = validateJson): string {
  validate(values);
  return describeErrors(validate.errors ?? []);
}

describe('describeErrors', () => {
  it('describes the allowed values of each part of a request', () => {
    expect(faultsOf({ path: { petId: 'x' } }, validateText)).to.equal(
      'Path parameter petId must be an integer from -9223372036854775808 to 9223372036854775807.',
    );
    expect(faultsOf({ query: { limit: '101' } }, validateText)).to.equal(
      'Query parameter limit must be an integer from 1 to 100.',
    );
    expect(faultsOf({ query: { limit: '1', page: '2' } }, validateText)).to.equal(
      'Query parameter page is unknown. Allowed: limit, names.',
    );
    expect(faultsOf({ requestBody: [] })).to.equal('The body must be a JSON object.');
  });

  it('describes a repeated parameter, and an array with too many items', () => {
    expect(faultsOf({ query: { limit: ['1', '2'] } })).to.equal('Query parameter limit must be sent only once.');
    expect(faultsOf({ query: { names: ['Rex', 'Mia'] } })).to.equal('Query parameter names must have at most 1 item.');
  });

  it('describes a request, a query or a body as a whole', () => {
    const few = { type: 'object', maxProperties: 1 };
    const schema = { type: 'object', properties: { query: few, requestBody: few } };
    const validate = createAjv(false).compile(schema);
    const two = { a: 1, b: 2 };
    expect(faultsOf([], validate)).to.equal('The request must be a JSON object.');
    expect(faultsOf({ query: two }, validate)).to.equal('The query exceeds 1 parameters. Send fewer.');
    expect(faultsOf({ requestBody: two }, validate)).to.equal('The body exceeds 1 fields. Send fewer.');
  });

  it('describes a field of a field, a boolean, and a rule of JSON Schema', () => {
    const names = { type: 'array', items: { type: 'string' } };
    const fields = {
      'a/b': { type: 'object', properties: { 'c~d': { type: 'boolean' } } },
      query: { type: 'object', properties: { name: { type: 'string' } } },
      code: { type: 'string', minLength: 3 },
      empty: { type: 'object', additionalProperties: false },
    };
    const properties = {
      query: { type: 'object', properties: { names, isOpen: { type: 'boolean' } } },
      requestBody: { type: 'object', properties: fields },
    };
    const [validate, validateQuery] = [false, true].map((isText) =>
      createAjv(isText).compile({ type: 'object', properties }),
    );
    for (const [requestBody, fault] of [
      [{ 'a/b': { 'c~d': 1 } }, 'a/b.c~d must be true or false.'],
      [{ query: { name: ['Rex'] } }, 'query.name must be a string.'],
      [{ code: 'ab' }, 'code must NOT have fewer than 3 characters.'],
      [{ empty: { a: 1 } }, 'empty.a is unknown. None are allowed.'],
    ] as const) {
      expect(faultsOf({ requestBody }, validate)).to.equal(`Body field ${fault}`);
    }
    expect(faultsOf({ query: { names: [['Rex']] } }, validate)).to.equal('Query parameter names.0 must be a string.');
    expect(faultsOf({ query: { isOpen: 'yes' } }, validateQuery)).to.equal(
      'Query parameter isOpen must be true or false.',
    );
  });

  it('names every missing and every unknown field', () => {
    expect(faultsOf({ requestBody: {} })).to.equal('Body field name is required. Body field categoryId is required.');
    expect(faultsOf({ requestBody: { name: 'Rex', categoryId: 7, id: 1, age: 3 } })).to.equal(
      `Body field id ${unknownNames} Body field age ${unknownNames}`,
    );
  });

  it('uses x-allowed of the contract for rules such as a pattern', () => {
    for (const name of ['', ' ', 'a\u0000']) {
      expect(faultsOf({ requestBody: { name, categoryId: 7 } }), JSON.stringify(name)).to.equal(
        'Body field name must have at least one visible character, and no control characters.',
      );
    }
    expect(faultsOf({ requestBody: { name: 'x'.repeat(256), categoryId: 7 } })).to.equal(
      'Body field name must have 1 to 255 characters.',
    );
  });

  it('has one sentence for a value that violates several rules', () => {
    const faults = faultsOf({ requestBody: { name: 5, categoryId: '1', status: 5 } });
    expect(faults.split(/(?<=\.) (?=Body)/)).to.have.members([
      'Body field name must be a string.',
      'Body field categoryId must be an integer from -9223372036854775808 to 9223372036854775807.',
      'Body field status must be one of: available, pending, sold.',
    ]);
  });

  it('describes ten errors and counts the others', () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${String(index)}`, 1]));
    const faults = (count: number) => faultsOf({ requestBody: { name: 'Rex', categoryId: 7, ...unknown(count) } });
    expect(faults(10))
      .to.match(/Body field f9 is unknown/)
      .and.not.match(/more\./);
    expect(faults(11))
      .to.match(/ And 1 more\.$/)
      .and.not.match(/f10/);
    expect(faults(5000))
      .to.match(/ And 4990 more\.$/)
      .and.have.lengthOf.below(1000);
  });

  it('truncates names at 64 characters, never within a character', () => {
    const faults = (name: string) => faultsOf({ requestBody: { name: 'Rex', categoryId: 7, [name]: 1 } });
    expect(faults('x'.repeat(64))).to.equal(`Body field ${'x'.repeat(64)} ${unknownNames}`);
    expect(faults('😀'.repeat(64))).to.equal(`Body field ${'😀'.repeat(64)} ${unknownNames}`);
    expect(faults('😀'.repeat(65))).to.equal(`Body field ${'😀'.repeat(64)}… ${unknownNames}`);
  });

  it('names a field as sent, whatever characters its name has', () => {
    const known = ['name', 'categoryId', 'status'];
    const name = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !known.includes(text));
    fc.assert(
      fc.property(fc.oneof(name, fc.constantFrom('~', '~1', '~0', 'a~1b', '__proto__', '.')), (field) => {
        const requestBody = Object.assign(Object.create(null), { name: 'Rex', categoryId: 7 }) as Record<
          string,
          unknown
        >;
        requestBody[field] = 1;
        expect(faultsOf({ requestBody })).to.equal(`Body field ${field === '' ? '""' : field} ${unknownNames}`);
      }),
    );
    expect(faultsOf({ requestBody: { name: 'Rex', categoryId: 7, 'a/b': 1 } })).to.equal(
      `Body field a/b ${unknownNames}`,
    );
  });
});
