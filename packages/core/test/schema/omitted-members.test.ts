import { expect } from 'chai';
import { findValidSample } from 'contract-server/mock/valid-sample.js';
import type { Schema } from '#dist/contract/schemas.js';
import { schemasOf } from '#dist/contract/schemas.js';
import { ResponseFilters } from '#dist/responses/response-filter.js';
import { createAjv } from '#dist/schema/create-ajv.js';
import { memberRulesOf } from '#dist/schema/member-rules.js';
import { responseBodySchema } from '#dist/schema/omitted-members.js';

const text = { type: 'string' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, others: object = {}) => ({ type: 'object', properties, ...others });
const required = (...names: string[]) => ({ required: names });

/** `marked` stands for `writeOnly` in a response, and for `readOnly` in a request. */
const marked = { marked: true };
const schemas = {
  Secret: { ...text, ...marked },
  Alias: ref('Secret'),
  Plain: text,
  Open: object({ name: text, secret: text }),
  Closed: object({ name: text, secret: ref('Secret') }),
  Demands: required('name', 'secret'),
  Keys: object({ key: ref('Secret') }, required('key')),
  List: { type: 'array', items: ref('Secret'), minItems: 1 },
  Tree: object({ secret: ref('Secret'), children: { type: 'array', items: ref('Tree') } }, required('secret')),
  One: object({ next: { anyOf: [ref('One'), ref('Two')] }, secret: text }),
  Two: object({ next: { anyOf: [ref('Two'), ref('One')] }, secret: ref('Secret') }, required('secret')),
  First: object({ next: { allOf: [ref('First'), ref('Second')] }, name: text }),
  Second: object({ next: { allOf: [ref('Second'), ref('First')] }, secret: ref('Secret') }, required('secret')),
  Cat: object({ kind: { enum: ['cat'] }, secret: ref('Secret') }, required('kind', 'secret')),
  Dog: object({ kind: { enum: ['dog'] }, secret: text }, required('kind')),
};

const both = { name: 'n', secret: 's' };
const name = { name: 'n' };
const members = { name: text, secret: ref('Secret') };
const field = (secret: object, others: object = required('name', 'secret')) => object({ name: text, secret }, others);
const cats = { oneOf: [ref('Cat'), ref('Dog')] };
const [dog, dogLeft] = [{ kind: 'dog', secret: 's' }, { kind: 'dog' }];

/** A value with a member that is marked, and what a message has of it; in both versions unless the case names one. */
type Case = readonly [title: string, schema: object, value: unknown, left: unknown, only?: string];
const cases: readonly Case[] = [
  ['itself', field({ ...text, ...marked }), both, name],
  ['a reference', field(ref('Secret')), both, name],
  ['a reference to a reference', field(ref('Alias')), both, name],
  ['a reference with a sibling', field({ ...ref('Plain'), ...marked }), both, name],
  ['a sibling that is false', field({ ...ref('Secret'), marked: false }), both, name, '3.1.1'],
  ['allOf with a reference', field({ allOf: [ref('Secret')] }), both, name],
  ['allOf with a description', field({ allOf: [ref('Secret')], description: 'd' }), both, name],
  ['allOf in allOf', field({ allOf: [{ allOf: [ref('Alias')] }] }), both, name],
  ['allOf with false beside true', field({ allOf: [ref('Secret'), { marked: false }] }), both, name],
  ['anyOf with one of two', field({ anyOf: [ref('Secret'), { type: 'integer' }] }), both, name],
  ['oneOf with null', field({ oneOf: [ref('Secret'), { type: 'null' }] }), both, name, '3.1.1'],
  ['nullable', field({ nullable: true, allOf: [ref('Secret')] }), both, name, '3.0.4'],
  ['then', field({ if: text, then: marked }), both, name, '3.1.1'],
  ['else', field({ if: { type: 'integer' }, else: marked }), both, name, '3.1.1'],
  ['dependentSchemas', field({ dependentSchemas: { a: marked } }), both, name, '3.1.1'],
  ['a field of a schema that allows others', field(ref('Secret'), { additionalProperties: true }), both, name],
  ['a field of a closed schema', field(ref('Secret'), { additionalProperties: false }), both, name],
  ['a field of unevaluatedProperties: false', field(ref('Secret'), { unevaluatedProperties: false }), both, name],
  ['a part of allOf', { allOf: [ref('Closed')], ...required('secret') }, both, name],
  ['parts that demand it', { allOf: [ref('Closed'), ref('Demands')] }, both, name],
  ['a part that demands it, written out', { allOf: [object(members), required('secret', 'name')] }, both, name],
  ['a part that declares it otherwise', { allOf: [ref('Open'), ref('Closed'), ref('Demands')] }, both, name],
  ['siblings of a reference', { ...ref('Open'), ...object({ secret: ref('Secret') }) }, both, name, '3.1.1'],
  ['a branch of anyOf', { anyOf: [ref('Closed'), ref('Open')] }, both, name],
  ['a branch of oneOf', { oneOf: [object(members, required('name')), object({ a: text }, required('a'))] }, both, name],
  ['a branch beside a free one', { anyOf: [ref('Closed'), { type: 'object' }] }, both, name],
  ['a branch in anyOf that allows it', { anyOf: [ref('Closed'), object({ name: text, secret: {} })] }, both, name],
  ['branches that only demand it', { ...object(members), anyOf: [required('secret'), required('other')] }, both, name],
  [
    'one branch that demands it',
    { ...object(members), oneOf: [required('secret'), required('a')] },
    { secret: 's' },
    {},
  ],
  ['a branch that a constant selects', cats, dog, dogLeft],
  ['a branch that a discriminator selects', { ...cats, discriminator: { propertyName: 'kind' } }, dog, dogLeft],
  ['a field of then', object({ name: text }, { if: {}, then: object(members) }), both, name, '3.1.1'],
  [
    'a field of dependentSchemas',
    object({ name: text }, { dependentSchemas: { name: object(members, required('secret')) } }),
    both,
    name,
    '3.1.1',
  ],
  ['dependentRequired', object(members, { dependentRequired: { name: ['secret'] } }), both, name, '3.1.1'],
  ['minProperties', field(ref('Secret'), { minProperties: 2 }), both, name],
  ['a field of items', { type: 'array', items: ref('Keys') }, [{ key: 'k' }], [{}]],
  ['a field of a map', { additionalProperties: ref('Keys') }, { a: { key: 'k' } }, { a: {} }],
  [
    'a field of a field of two parts',
    { allOf: [object({ a: ref('Open') }), object({ a: ref('Closed') })] },
    { a: both },
    { a: name },
  ],
  [
    'a field that another part demands',
    { allOf: [object({ a: ref('Demands') }), object({ a: ref('Closed') })] },
    { a: both },
    { a: name },
  ],
  ['the values of a map', { type: 'object', additionalProperties: ref('Secret') }, { a: 's' }, {}],
  ['the values of a map with fields', object({ name: text }, { additionalProperties: ref('Secret') }), both, name],
  [
    'the values of a map in anyOf',
    { anyOf: [object({ name: text }, { additionalProperties: ref('Secret') }), ref('Open')] },
    both,
    name,
  ],
  [
    'the values of a map that must not be empty',
    { additionalProperties: ref('Secret'), minProperties: 1 },
    { a: 's' },
    {},
  ],
  ['a pattern', { ...object({ name: text }), patternProperties: { '^sec': ref('Secret') } }, both, name, '3.1.1'],
  ['a pattern of a declared field', { ...field(text), patternProperties: { '^sec': marked } }, both, name, '3.1.1'],
  ['unevaluatedProperties', { ...object({ name: text }), unevaluatedProperties: ref('Secret') }, both, name, '3.1.1'],
  ['items', { type: 'array', items: ref('Secret') }, ['s', 't'], []],
  ['items that are demanded', ref('List'), ['s'], []],
  ['items in allOf', { allOf: [ref('List'), { type: 'array', items: text }] }, ['s'], []],
  ['items of a field', object({ list: ref('List') }, required('list')), { list: ['s'] }, { list: [] }],
  [
    'prefixItems',
    { type: 'array', prefixItems: [text, ref('Secret'), text] },
    ['a', 's', 'c'],
    ['a', null, 'c'],
    '3.1.1',
  ],
  ['items after prefixItems', { prefixItems: [text], items: ref('Secret') }, ['a', 's'], ['a'], '3.1.1'],
  ['a field of an item that contains demands', { contains: ref('Closed') }, [both, name], [name, name], '3.1.1'],
  ['a field of an item beside it', { contains: ref('Closed') }, [name, both], [name, name], '3.1.1'],
  ['a schema that contains itself', ref('Tree'), { secret: 's', children: [{ secret: 's' }] }, { children: [{}] }],
  ['a recursive union', ref('One'), { next: { next: { secret: 's' } } }, { next: { next: {} } }],
  ['recursive parts', ref('First'), { next: { ...both, next: both } }, { next: { ...name, next: name } }],
];

/** A document whose marked schemas are `readOnly` or `writeOnly`. */
function documentOf(openapi: string, mark: string) {
  const replace = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('"marked"', `"${mark}"`)) as Schema;
  return { document: { openapi, components: { schemas: replace(schemas) } }, replace };
}

function* versionsOf(only: string | undefined) {
  for (const openapi of ['3.0.4', '3.1.1']) if (only === undefined || only === openapi) yield openapi;
}

describe('members that a message must not have', () => {
  for (const [title, schema, value, left, only] of cases) {
    it(`are dropped from responses, which are then valid: ${title}`, () => {
      for (const openapi of versionsOf(only)) {
        const { document, replace } = documentOf(openapi, 'writeOnly');
        const body = replace(schema);
        expect(new ResponseFilters(schemasOf(document)).of(body)(value), openapi).to.deep.equal(left);
        const validate = createAjv(schemasOf(document), 'response').compile(body);
        expect(validate(value), openapi).to.equal(false);
        expect(validate(left), `${openapi} ${JSON.stringify(validate.errors)}`).to.equal(true);
        expect(createAjv(schemasOf(document), 'request').compile(body)(value), openapi).to.equal(true);
      }
    });

    it(`are rejected in requests, which need not have them: ${title}`, () => {
      for (const openapi of versionsOf(only)) {
        const { document, replace } = documentOf(openapi, 'readOnly');
        const body = replace(schema);
        const validate = createAjv(schemasOf(document), 'request').compile(body);
        expect(validate(value), openapi).to.equal(false);
        expect(validate(left), `${openapi} ${JSON.stringify(validate.errors)}`).to.equal(true);
        expect(createAjv(schemasOf(document), 'response').compile(body)(value), openapi).to.equal(true);
        expect(new ResponseFilters(schemasOf(document)).of(body)(value), openapi).to.deep.equal(value);
      }
    });

    it(`are not in samples: ${title}`, () => {
      for (const openapi of versionsOf(only)) {
        const { document, replace } = documentOf(openapi, 'writeOnly');
        const body = replace(schema);
        const validate = createAjv(schemasOf(document), 'response').compile(body);
        const sample = findValidSample(schemasOf(document), body, (sent) =>
          validate(sent) ? [] : (validate.errors ?? []),
        );
        expect(sample, openapi).to.not.equal(undefined);
        expect(new ResponseFilters(schemasOf(document)).of(body)(sample?.value), openapi).to.deep.equal(sample?.value);
      }
    });
  }

  it('leave null in place of a whole response', () => {
    for (const schema of ['Secret', 'Alias']) {
      const { document } = documentOf('3.1.1', 'writeOnly');
      expect(new ResponseFilters(schemasOf(document)).of(ref(schema))('s')).to.equal(null);
      const validate = createAjv(schemasOf(document), 'response').compile(
        responseBodySchema(schemasOf(document), ref(schema)),
      );
      expect([validate(null), validate('s')]).to.deep.equal([true, false]);
    }
  });

  it('have the same schema in any order, and where a union is nested in another one', () => {
    const { document } = documentOf('3.1.1', 'writeOnly');
    const memberOf = (...names: string[]) =>
      memberRulesOf(schemasOf(document))
        .of({ anyOf: names.map((each) => object({ a: ref(each) })) })
        .fields?.find('a');
    expect(memberOf('One', 'Two')).to.equal(memberOf('Two', 'One', 'Two'));
    const nested = memberRulesOf(schemasOf(document)).of({
      anyOf: [ref('One'), { anyOf: [ref('Two'), ref('One')] }],
    }).fields;
    expect(nested?.find('next')).to.equal(
      memberRulesOf(schemasOf(document))
        .of(nested?.find('next') ?? false)
        .fields?.find('next'),
    );
  });

  it('are dropped however deep a recursive value is', () => {
    const { document } = documentOf('3.1.1', 'writeOnly');
    for (const body of [{ anyOf: [ref('One'), ref('Two')] }, { allOf: [ref('First'), ref('Second')] }]) {
      let value: object = both;
      for (let level = 0; level < 200; level += 1) value = { ...both, next: value };
      expect(JSON.stringify(new ResponseFilters(schemasOf(document)).of(body)(value))).to.not.include('secret');
    }
  });
});
