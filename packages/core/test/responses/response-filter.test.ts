import { expect } from 'chai';
import { schemasOf } from '#dist/contract/schemas.js';
import { stringifyJson } from '#dist/json/exact-json.js';
import { ResponseFilters } from '#dist/responses/response-filter.js';
import type { Node } from '#dist/schema/schema-joins.js';
import { cases, ref, schemas } from './filtered-values.js';

function filtered(schema: Node, value: unknown, openapi: string): unknown {
  const filters = new ResponseFilters(schemasOf({ openapi, components: { schemas } }));
  return JSON.parse(JSON.stringify(filters.of(schema)(value)));
}

describe('ResponseFilters', () => {
  for (const [title, schema, value, left, only] of cases)
    it(`drops what is not declared: ${title}`, () => {
      for (const openapi of ['3.0.4', '3.1.1'])
        if (only === undefined || only === openapi)
          expect(filtered(schema, value, openapi), openapi).to.deep.equal(left);
    });

  const filters = new ResponseFilters(schemasOf({ openapi: '3.1.1', components: { schemas } }));

  it('returns the value itself if everything is declared, and never changes it', () => {
    const whole = { name: 'Rex', owner: { email: 'a@b' } };
    expect(filters.of(ref('Pet'))(whole)).to.equal(whole);
    const list = [whole];
    expect(filters.of({ type: 'array', items: ref('Pet') })(list)).to.equal(list);
    const frozen = Object.freeze({ name: 'Rex', hash: 'x' });
    expect(filters.of(ref('Pet'))(frozen)).to.deep.equal({ name: 'Rex' });
  });

  it('keeps a field named __proto__', () => {
    const value = JSON.parse('{"__proto__":{"isAdmin":true,"email":"e"},"x":1}') as object;
    const filter = filters.of({
      properties: JSON.parse('{"__proto__":{"$ref":"#/components/schemas/Owner"}}') as object,
    });
    const left = filter(value);
    expect(stringifyJson(left)).to.equal('{"__proto__":{"email":"e"}}');
    expect(Object.getPrototypeOf(left)).to.equal(Object.prototype);
    expect(stringifyJson(filters.of(ref('Owner'))(value))).to.equal('{}');
  });

  it('keeps 64-bit integers', () => {
    const left = filters.of(ref('Cat'))({ lives: 9223372036854775807n, x: 1n });
    expect(stringifyJson(left)).to.equal('{"lives":9223372036854775807}');
  });

  it('compiles each schema once', () => {
    const schema = { allOf: [ref('Pet')] };
    expect(filters.of(schema)).to.equal(filters.of(schema));
    expect(filters.of(ref('Pet'))).to.equal(filters.of(schemas.Pet));
  });
});
