import { expect } from 'chai';
import { FormFields } from '#dist/bodies/form-fields.js';
import { schemasOf } from '#dist/contract/schemas.js';
import { findTextParser } from '#dist/schema/parse-text.js';

const document = { openapi: '3.1.1', components: {} };
const integer = { type: 'integer' };
const properties = { a: { type: 'string' }, password: { type: 'string', writeOnly: true } };

describe('FormFields', () => {
  const fields = new FormFields(
    schemasOf(document),
    { properties, additionalProperties: integer },
    { b: { contentType: 'a/b' } },
  );

  it('describes all undeclared names once, because clients can send any', () => {
    expect(fields.find('x').convert('1')).to.equal(1);
    expect(fields.find('x')).to.equal(fields.find('y'));
    expect(fields.find('a')).to.not.equal(fields.find('x'));
    expect(fields.find('b').contentTypes).to.deep.equal(['a/b']);
  });

  it('declares a field that is write-only, and none in a closed form', () => {
    expect(fields.find('password').isDeclared).to.equal(true);
    const closed = new FormFields(schemasOf(document), { properties, additionalProperties: false }, {});
    expect(closed.find('x').isDeclared).to.equal(false);
  });

  it('reads each name by the patterns that match it', () => {
    const patternProperties = { '^n': integer, '^t': { type: 'string' } };
    const form = new FormFields(schemasOf(document), { patternProperties }, {});
    expect([form.find('n1').convert('1'), form.find('t1').convert('1')]).to.deep.equal([1, '1']);
  });
});

describe('findTextParser', () => {
  it('has one parser for each union of types', () => {
    const parser = findTextParser(schemasOf(document), { anyOf: [integer, { type: 'string' }] });
    expect(parser).to.equal(findTextParser(schemasOf(document), integer));
  });
});
