import { expect } from 'chai';
import { effectsOfSchemas, type Worst } from './worst-effect.js';

type Row = readonly [title: string, before: unknown, after: unknown, inRequest: Worst, inResponse: Worst];

const [breaks, ok, note, none] = ['breaking', 'non-breaking', 'annotation', 'none'] as const;
const string = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const array = { type: 'array' };
const object = { type: 'object' };
const open = { ...object, properties: { a: string } };
const closed = { ...open, additionalProperties: false };
const both = { a: string, b: integer };
const cat = { ...object, required: ['kind'], properties: { kind: { const: 'cat' }, lives: integer } };
const dog = { ...object, required: ['kind'], properties: { kind: { const: 'dog' } } };
const fish = { ...object, required: ['kind'], properties: { kind: { const: 'fish' } } };
const wideCat = { ...cat, properties: { ...cat.properties, lives: number } };
const anyKind = { ...object, required: ['kind'], properties: { kind: string } };
const discriminator = { propertyName: 'kind' };
const [small, large] = [{ maximum: 5 }, { minimum: 3 }];

/** The appearance, the disappearance and both changes of limits. */
const limits = (type: object, keyword: string, low: number, high: number, isUpper: boolean): Row[] => [
  [`${keyword} added`, type, { ...type, [keyword]: low }, breaks, ok],
  [`${keyword} removed`, { ...type, [keyword]: low }, type, ok, breaks],
  [`${keyword} raised`, { ...type, [keyword]: low }, { ...type, [keyword]: high }, ...raised(isUpper)],
  [`${keyword} lowered`, { ...type, [keyword]: high }, { ...type, [keyword]: low }, ...raised(!isUpper)],
];
const raised = (isWider: boolean) => (isWider ? ([ok, breaks] as const) : ([breaks, ok] as const));

/** The appearance, the disappearance and another value. */
const tests = (type: object, keyword: string, one: unknown, other: unknown): Row[] => [
  [`${keyword} added`, type, { ...type, [keyword]: one }, breaks, ok],
  [`${keyword} removed`, { ...type, [keyword]: one }, type, ok, breaks],
  [`${keyword} changed`, { ...type, [keyword]: one }, { ...type, [keyword]: other }, breaks, breaks],
];

const notes = (keyword: string, one: unknown, other: unknown): Row[] => [
  [`${keyword} added`, string, { ...string, [keyword]: one }, note, note],
  [`${keyword} removed`, { ...string, [keyword]: one }, string, note, note],
  [`${keyword} changed`, { ...string, [keyword]: one }, { ...string, [keyword]: other }, note, note],
];

// biome-ignore format: a table
const types: readonly Row[] = [
  ['type added', {}, string, breaks, ok],
  ['type removed', string, {}, ok, breaks],
  ['type changed', string, integer, breaks, breaks],
  ['a type added to the list', string, { type: ['string', 'null'] }, ok, breaks],
  ['a type removed from the list', { type: ['string', 'null'] }, string, breaks, ok],
  ['another order of types', { type: ['string', 'null'] }, { type: ['null', 'string'] }, none, none],
  ['a list of one type', string, { type: ['string'] }, none, none],
  ['integer and number', { type: ['integer', 'number'] }, number, none, none],
  ['integer to number', integer, number, ok, breaks],
  ['number to integer', number, integer, breaks, ok],
  ['any type, listed', {}, { type: ['null', 'boolean', 'object', 'array', 'number', 'string'] }, none, none],
  ['types to anyOf', { type: ['string', 'integer'] }, { anyOf: [string, integer] }, none, none],
  ['types to oneOf', { type: ['string', 'integer'] }, { oneOf: [integer, string] }, none, none],
  ['a limit of another type', string, { ...string, maximum: 5, minItems: 1, required: ['a'] }, none, none],
  ['a type with a limit', string, { type: ['string', 'integer'], maximum: 5 }, ok, breaks],
  ['a schema to true', string, true, ok, breaks],
  ['a schema to false', string, false, breaks, ok],
  ['true to {}', true, {}, none, none],
];

// biome-ignore format: a table
const values: readonly Row[] = [
  ['enum added', string, { ...string, enum: ['a'] }, breaks, ok],
  ['enum removed', { ...string, enum: ['a'] }, string, ok, breaks],
  ['a value added to enum', { enum: ['a'] }, { enum: ['a', 'b'] }, ok, breaks],
  ['a value removed from enum', { enum: ['a', 'b'] }, { enum: ['a'] }, breaks, ok],
  ['another order of enum', { enum: ['a', 'b'] }, { enum: ['b', 'a'] }, none, none],
  ['enum of one to const', { enum: ['a'] }, { const: 'a' }, none, none],
  ['enum with a type that all have', { enum: ['a'] }, { ...string, enum: ['a'] }, none, none],
  ['enum with values that the type excludes', { ...string, enum: ['a', 1] }, { ...string, enum: ['a'] }, none, none],
  ['const added', string, { ...string, const: 'a' }, breaks, ok],
  ['const removed', { ...string, const: 'a' }, string, ok, breaks],
  ['const changed', { const: 'a' }, { const: 'b' }, breaks, breaks],
  ['const to enum', { const: 'a' }, { enum: ['a', 'b'] }, ok, breaks],
  ['enum of objects in another order', { enum: [{ a: 1, b: 2 }] }, { enum: [{ b: 2, a: 1 }] }, none, none],
  ['all booleans', { type: 'boolean' }, { enum: [true, false] }, none, none],
  ['enum whose values a limit allows', { ...string, maxLength: 3 }, { ...string, enum: ['a'] }, breaks, ok],
  ['a limit that allows each value of enum', { ...string, enum: ['a'] }, { ...string, maxLength: 3 }, ok, breaks],
  ['a limit that forbids a value of enum', { enum: ['a', 'long'] }, { ...string, maxLength: 3 }, breaks, breaks],
];

// biome-ignore format: a table
const numbers: readonly Row[] = [
  ...limits(number, 'minimum', 1, 2, false),
  ...limits(number, 'maximum', 1, 2, true),
  ...limits(number, 'exclusiveMinimum', 1, 2, false),
  ...limits(number, 'exclusiveMaximum', 1, 2, true),
  ['an inclusive to an exclusive minimum', { ...number, minimum: 1 }, { ...number, exclusiveMinimum: 1 }, breaks, ok],
  ['an exclusive to an inclusive maximum', { ...number, exclusiveMaximum: 1 }, { ...number, maximum: 1 }, ok, breaks],
  ['an exclusive minimum of integers', { ...integer, exclusiveMinimum: 0 }, { ...integer, minimum: 1 }, none, none],
  ['an exclusive maximum of integers', { ...integer, exclusiveMaximum: 5 }, { ...integer, maximum: 4 }, none, none],
  ['multipleOf added', number, { ...number, multipleOf: 2 }, breaks, ok],
  ['multipleOf removed', { ...number, multipleOf: 2 }, number, ok, breaks],
  ['multipleOf to a divisor', { ...number, multipleOf: 4 }, { ...number, multipleOf: 2 }, ok, breaks],
  ['multipleOf to a multiple', { ...number, multipleOf: 2 }, { ...number, multipleOf: 4 }, breaks, ok],
  ['multipleOf to another number', { ...number, multipleOf: 2 }, { ...number, multipleOf: 3 }, breaks, breaks],
  ['a decimal multipleOf to a divisor', { ...number, multipleOf: 0.3 }, { ...number, multipleOf: 0.1 }, ok, breaks],
  ['int32 to int64', { ...integer, format: 'int32' }, { ...integer, format: 'int64' }, ok, breaks],
  ['int64 to int32', { ...integer, format: 'int64' }, { ...integer, format: 'int32' }, breaks, ok],
  ['float to double', { ...number, format: 'float' }, { ...number, format: 'double' }, ok, breaks],
];

// biome-ignore format: a table
const strings: readonly Row[] = [
  ...limits(string, 'minLength', 1, 2, false),
  ...limits(string, 'maxLength', 1, 2, true),
  ['minLength 0 added', string, { ...string, minLength: 0 }, none, none],
  ...tests(string, 'pattern', '^a', '^b'),
  ...tests(string, 'format', 'date', 'date-time'),
  ...tests(string, 'contentEncoding', 'base64', 'base64url'),
  ...tests(string, 'contentMediaType', 'image/png', 'image/gif'),
];

// biome-ignore format: a table
const arrays: readonly Row[] = [
  ...limits(array, 'minItems', 1, 2, false),
  ...limits(array, 'maxItems', 1, 2, true),
  ['uniqueItems added', array, { ...array, uniqueItems: true }, breaks, ok],
  ['uniqueItems removed', { ...array, uniqueItems: true }, array, ok, breaks],
  ['uniqueItems to false', { ...array, uniqueItems: true }, { ...array, uniqueItems: false }, ok, breaks],
  ['uniqueItems false added', array, { ...array, uniqueItems: false }, none, none],
  ['items added', array, { ...array, items: string }, breaks, ok],
  ['items removed', { ...array, items: string }, array, ok, breaks],
  ['items changed', { ...array, items: string }, { ...array, items: integer }, breaks, breaks],
  ['items widened', { ...array, items: integer }, { ...array, items: number }, ok, breaks],
  ['items {} added', array, { ...array, items: {} }, none, none],
  ['prefixItems added', array, { ...array, prefixItems: [string] }, breaks, ok],
  ['prefixItems removed', { ...array, prefixItems: [string] }, array, ok, breaks],
  ['prefixItems of items', { ...array, items: string }, { ...array, prefixItems: [string], items: string }, none, none],
  ['prefixItems widened', { ...array, prefixItems: [integer] }, { ...array, prefixItems: [number] }, ok, breaks],
  ['items after prefixItems', { ...array, prefixItems: [string] }, { ...array, prefixItems: [string], items: false }, breaks, ok],
  ['unevaluatedItems added', { ...array, prefixItems: [string] }, { ...array, prefixItems: [string], unevaluatedItems: false }, breaks, ok],
  ['contains added', array, { ...array, contains: string }, breaks, ok],
  ['contains removed', { ...array, contains: string }, array, ok, breaks],
  ['contains widened', { ...array, contains: integer }, { ...array, contains: number }, ok, breaks],
  ['contains with maxContains changed', { ...array, contains: integer, maxContains: 2 }, { ...array, contains: number, maxContains: 2 }, breaks, breaks],
  ['minContains 1 added', { ...array, contains: string }, { ...array, contains: string, minContains: 1 }, none, none],
  ['minContains raised', { ...array, contains: string }, { ...array, contains: string, minContains: 2 }, breaks, ok],
  ['minContains lowered', { ...array, contains: string, minContains: 2 }, { ...array, contains: string }, ok, breaks],
  ['maxContains added', { ...array, contains: string }, { ...array, contains: string, maxContains: 2 }, breaks, ok],
  ['maxContains removed', { ...array, contains: string, maxContains: 2 }, { ...array, contains: string }, ok, breaks],
];

// biome-ignore format: a table
const objects: readonly Row[] = [
  ...limits(object, 'minProperties', 1, 2, false),
  ...limits(object, 'maxProperties', 1, 2, true),
  ['a field added to an open object', open, { ...open, properties: both }, ok, ok],
  ['a field added to a closed object', closed, { ...closed, properties: both }, ok, breaks],
  ['a field removed from an open object', { ...open, properties: both }, open, breaks, breaks],
  ['a field removed from a closed object', { ...closed, properties: both }, closed, breaks, breaks],
  ['a field to false', { ...open, properties: both }, { ...open, properties: { a: string, b: false } }, breaks, breaks],
  ['a false field added', open, { ...open, properties: { a: string, b: false } }, none, none],
  ['a field that a map described', { ...object, additionalProperties: string }, { ...object, additionalProperties: string, properties: { a: string } }, ok, ok],
  ['a field that a map described otherwise', { ...object, additionalProperties: string }, { ...object, additionalProperties: string, properties: { a: integer } }, breaks, breaks],
  ['a field widened', { ...object, properties: { a: integer } }, { ...object, properties: { a: number } }, ok, breaks],
  ['a field readOnly', open, { ...object, properties: { a: { ...string, readOnly: true } } }, breaks, note],
  ['a field writeOnly', open, { ...object, properties: { a: { ...string, writeOnly: true } } }, note, breaks],
  ['a field no longer readOnly', { ...object, properties: { a: { ...string, readOnly: true } } }, open, ok, note],
  ['a required readOnly field', open, { ...object, required: ['b'], properties: { a: string, b: { ...integer, readOnly: true } } }, none, ok],
  ['a readOnly field changed', { ...object, properties: { a: { ...string, readOnly: true } } }, { ...object, properties: { a: { ...integer, readOnly: true } } }, none, breaks],
  ['required added', open, { ...open, required: ['a'] }, breaks, ok],
  ['required removed', { ...open, required: ['a'] }, open, ok, breaks],
  ['another order of required', { ...object, required: ['a', 'b'] }, { ...object, required: ['b', 'a'] }, none, none],
  ['empty required', open, { ...open, required: [] }, none, none],
  ['required in allOf', { ...open, required: ['a'] }, { allOf: [open, { required: ['a'] }] }, none, none],
  ['additionalProperties false added', open, closed, breaks, ok],
  ['additionalProperties false removed', closed, open, ok, breaks],
  ['additionalProperties true added', open, { ...open, additionalProperties: true }, none, none],
  ['additionalProperties added', object, { ...object, additionalProperties: string }, breaks, ok],
  ['additionalProperties removed', { ...object, additionalProperties: string }, object, ok, breaks],
  ['additionalProperties widened', { ...object, additionalProperties: integer }, { ...object, additionalProperties: number }, ok, breaks],
  ['additionalProperties to false', { ...object, additionalProperties: integer }, { ...object, additionalProperties: false }, breaks, ok],
  ['unevaluatedProperties added', open, { ...open, unevaluatedProperties: false }, breaks, ok],
  ['unevaluatedProperties for additionalProperties', closed, { ...open, unevaluatedProperties: false }, none, none],
  ['patternProperties added', object, { ...object, patternProperties: { '^a': string } }, breaks, ok],
  ['patternProperties removed', { ...object, patternProperties: { '^a': string } }, object, ok, breaks],
  ['patternProperties added to a closed object', { ...object, additionalProperties: false }, { ...object, additionalProperties: false, patternProperties: { '^a': string } }, ok, breaks],
  ['patternProperties widened', { ...object, patternProperties: { '^a': integer } }, { ...object, patternProperties: { '^a': number } }, ok, breaks],
  ['propertyNames added', object, { ...object, propertyNames: { maxLength: 3 } }, breaks, ok],
  ['propertyNames removed', { ...object, propertyNames: { maxLength: 3 } }, object, ok, breaks],
  ['propertyNames widened', { ...object, propertyNames: { maxLength: 3 } }, { ...object, propertyNames: { maxLength: 4 } }, ok, breaks],
  ['dependentRequired added', object, { ...object, dependentRequired: { a: ['b'] } }, breaks, ok],
  ['dependentRequired removed', { ...object, dependentRequired: { a: ['b'] } }, object, ok, breaks],
  ['dependentRequired with more', { ...object, dependentRequired: { a: ['b'] } }, { ...object, dependentRequired: { a: ['b', 'c'] } }, breaks, ok],
  ['another order of dependentRequired', { ...object, dependentRequired: { a: ['b', 'c'] } }, { ...object, dependentRequired: { a: ['c', 'b'] } }, none, none],
  ['dependentSchemas added', object, { ...object, dependentSchemas: { a: { required: ['b'] } } }, breaks, ok],
  ['dependentSchemas removed', { ...object, dependentSchemas: { a: { required: ['b'] } } }, object, ok, breaks],
];

// biome-ignore format: a table
const combinations: readonly Row[] = [
  ['another order of allOf', { allOf: [open, { required: ['a'] }] }, { allOf: [{ required: ['a'] }, open] }, none, none],
  ['allOf of one', string, { allOf: [string] }, none, none],
  ['allOf with more', { allOf: [open] }, { allOf: [open, { required: ['a'] }] }, breaks, ok],
  ['allOf with less', { allOf: [open, { required: ['a'] }] }, { allOf: [open] }, ok, breaks],
  ['a limit in allOf that another one implies', { ...string, maxLength: 3 }, { allOf: [{ ...string, maxLength: 3 }, { maxLength: 5 }] }, none, none],
  ['a closed branch of allOf', { allOf: [{ properties: both }, open] }, { allOf: [{ properties: both }, closed] }, breaks, breaks],
  ['anyOf of one', string, { anyOf: [string] }, none, none],
  ['another order of anyOf', { anyOf: [small, large] }, { anyOf: [large, small] }, none, none],
  ['a branch added to anyOf', { anyOf: [string, integer] }, { anyOf: [string, integer, array] }, ok, breaks],
  ['a branch removed from anyOf', { anyOf: [string, integer, array] }, { anyOf: [string, integer] }, breaks, ok],
  ['a branch of the same type added to anyOf', { anyOf: [cat, dog] }, { anyOf: [cat, dog, fish] }, ok, breaks],
  ['a branch of the same type removed from anyOf', { anyOf: [cat, dog, fish] }, { anyOf: [cat, dog] }, breaks, ok],
  ['a branch of anyOf widened', { anyOf: [{ ...string, maxLength: 3 }, integer] }, { anyOf: [{ ...string, maxLength: 4 }, integer] }, ok, breaks],
  ['null as a branch', { ...string, type: ['string', 'null'], maxLength: 3 }, { anyOf: [{ ...string, maxLength: 3 }, { type: 'null' }] }, none, none],
  ['anyOf added', object, { anyOf: [cat, dog] }, breaks, ok],
  ['anyOf removed', { anyOf: [cat, dog] }, object, breaks, breaks],
  ['another order of oneOf', { oneOf: [cat, dog] }, { oneOf: [dog, cat] }, none, none],
  ['a disjoint branch added to oneOf', { oneOf: [cat, dog] }, { oneOf: [cat, dog, fish] }, ok, breaks],
  ['a disjoint branch removed from oneOf', { oneOf: [cat, dog, fish] }, { oneOf: [cat, dog] }, breaks, ok],
  ['disjoint anyOf to oneOf', { anyOf: [cat, dog] }, { oneOf: [cat, dog] }, none, none],
  ['anyOf to oneOf', { anyOf: [small, large] }, { oneOf: [small, large] }, breaks, ok],
  ['oneOf to anyOf', { oneOf: [small, large] }, { anyOf: [small, large] }, ok, breaks],
  ['a branch of oneOf that shares values', { oneOf: [small, large] }, { oneOf: [{ maximum: 6 }, large] }, breaks, breaks],
  ['another order of oneOf that shares values', { oneOf: [small, large] }, { oneOf: [large, small] }, none, none],
  ['a branch that shares objects widened', { oneOf: [open, { ...object, properties: { b: integer } }] }, { oneOf: [open, { ...object, properties: { b: number } }] }, breaks, breaks],
  ['a branch that shares objects, with a discriminator, widened', { discriminator, oneOf: [open, { ...object, properties: { b: integer } }] }, { discriminator, oneOf: [open, { ...object, properties: { b: number } }] }, breaks, breaks],
  ['a branch with a tag of its own widened', { discriminator, oneOf: [cat, dog] }, { discriminator, oneOf: [wideCat, dog] }, ok, breaks],
  ['a branch with a tag of its own narrowed', { discriminator, oneOf: [wideCat, dog] }, { discriminator, oneOf: [cat, dog] }, breaks, ok],
  ['a branch with a tag of its own added', { discriminator, oneOf: [cat, dog] }, { discriminator, oneOf: [cat, dog, fish] }, ok, breaks],
  ['a branch with any tag added', { discriminator, oneOf: [anyKind, dog] }, { discriminator, oneOf: [anyKind, dog, cat] }, breaks, breaks],
  ['tagged oneOf that shares objects to anyOf', { discriminator, oneOf: [anyKind, dog] }, { discriminator, anyOf: [anyKind, dog] }, ok, breaks],
  ['tagged anyOf to oneOf that shares objects', { discriminator, anyOf: [anyKind, dog] }, { discriminator, oneOf: [anyKind, dog] }, breaks, ok],
  ['tagged anyOf to disjoint oneOf', { discriminator, anyOf: [cat, dog] }, { discriminator, oneOf: [cat, dog] }, none, none],
  ['not added', string, { ...string, not: { const: 'a' } }, breaks, ok],
  ['not removed', { ...string, not: { const: 'a' } }, string, ok, breaks],
  ['not widened', { not: { const: 'a' } }, { not: { enum: ['a', 'b'] } }, breaks, ok],
  ['not narrowed', { not: { enum: ['a', 'b'] } }, { not: { const: 'a' } }, ok, breaks],
  ['if added', string, { ...string, if: { const: 'a' }, then: false }, breaks, ok],
  ['if removed', { ...string, if: { const: 'a' }, then: false }, string, ok, breaks],
  ['if alone', string, { ...string, if: { const: 'a' } }, none, none],
  ['if changed', { if: { const: 'a' }, then: false }, { if: { const: 'b' }, then: false }, breaks, breaks],
  ['then widened', { if: string, then: { maxLength: 3 } }, { if: string, then: { maxLength: 4 } }, ok, breaks],
  ['else added', { if: string, then: { maxLength: 3 } }, { if: string, then: { maxLength: 3 }, else: { maximum: 1 } }, breaks, ok],
];

// biome-ignore format: a table
const meanings: readonly Row[] = [
  ...['title', 'description', '$comment', 'x-vendor'].flatMap((keyword) => notes(keyword, 'one', 'other')),
  ...notes('example', 'a', 'b'),
  ...notes('examples', ['a'], ['b']),
  ...notes('externalDocs', { url: 'https://a.example' }, { url: 'https://b.example' }),
  ['default added', string, { ...string, default: 'a' }, ok, note],
  ['default removed', { ...string, default: 'a' }, string, breaks, note],
  ['default changed', { ...string, default: 'a' }, { ...string, default: 'b' }, breaks, note],
  ['deprecated added', string, { ...string, deprecated: true }, ok, ok],
  ['deprecated false added', string, { ...string, deprecated: false }, none, none],
  ['a discriminator added', { oneOf: [cat, dog] }, { oneOf: [cat, dog], discriminator }, note, note],
  ['a discriminator removed', { oneOf: [cat, dog], discriminator }, { oneOf: [cat, dog] }, note, breaks],
  ['a mapping changed', { oneOf: [cat, dog], discriminator }, { oneOf: [cat, dog], discriminator: { ...discriminator, mapping: { cat: 'Cat' } } }, note, breaks],
  ['a discriminator added to branches that share objects', { oneOf: [anyKind, dog] }, { oneOf: [anyKind, dog], discriminator }, note, note],
  ['xml changed', { ...string, xml: { name: 'a' } }, { ...string, xml: { name: 'b' } }, breaks, breaks],
  ['an unknown keyword', string, { ...string, unknown: 1 }, breaks, breaks],
];

describe('The rules of schemas', () => {
  const all = [...types, ...values, ...numbers, ...strings, ...arrays, ...objects, ...combinations, ...meanings];
  for (const [title, before, after, inRequest, inResponse] of all) {
    const effects = () => effectsOfSchemas(before, after, [{}, {}]);
    it(`in a request: ${title}: ${inRequest}`, () => {
      expect(effects()[0]).to.equal(inRequest);
    });
    it(`in a response: ${title}: ${inResponse}`, () => {
      expect(effects()[1]).to.equal(inResponse);
    });
  }
});
