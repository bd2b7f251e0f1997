import { expect } from 'chai';
import { effectsOfSchemas, type Worst } from './worst-effect.js';

const [breaks, ok, none] = ['breaking', 'non-breaking', 'none'] as const;
const big = 9007199254740993n;

type Row = readonly [title: string, before: object, after: object, inRequest: Worst, inResponse: Worst];

// biome-ignore format: a table
const rows: readonly Row[] = [
  ['minimum raised', { minimum: big }, { minimum: big + 1n }, breaks, ok],
  ['minimum lowered', { minimum: big }, { minimum: big - 1n }, ok, breaks],
  ['maximum raised', { maximum: big }, { maximum: big + 1n }, ok, breaks],
  ['maximum lowered', { maximum: big }, { maximum: big - 1n }, breaks, ok],
  ['exclusiveMinimum raised', { exclusiveMinimum: big }, { exclusiveMinimum: big + 1n }, breaks, ok],
  ['exclusiveMaximum raised', { exclusiveMaximum: big }, { exclusiveMaximum: big + 1n }, ok, breaks],
  ['an exclusive minimum', { exclusiveMinimum: big }, { minimum: big + 1n }, none, none],
  ['an exclusive maximum at 2^53', { exclusiveMaximum: 2 ** 53 }, { maximum: 2 ** 53 - 1 }, none, none],
  ['the same limit with an exponent', { maximum: 1e16 }, { maximum: 10_000_000_000_000_000n }, none, none],
  ['a limit that allows each value of enum', { enum: [big] }, { maximum: big }, ok, breaks],
  ['a limit that forbids a value of enum', { enum: [big] }, { maximum: big - 1n }, breaks, breaks],
  ['another value of enum', { enum: [big] }, { enum: [big + 1n] }, breaks, breaks],
  ['another const', { const: big }, { const: big + 1n }, breaks, breaks],
  ['the same value with an exponent', { enum: [1e16] }, { enum: [10_000_000_000_000_000n] }, none, none],
  ['multipleOf to a divisor', { multipleOf: 2n * big }, { multipleOf: big }, ok, breaks],
  ['multipleOf to another number', { multipleOf: big }, { multipleOf: big + 2n }, breaks, breaks],
];

describe('The rules of integers beyond 2^53', () => {
  for (const [title, before, after, inRequest, inResponse] of rows)
    it(`are exact: ${title}: ${inRequest} in a request, ${inResponse} in a response`, () => {
      const integer = { type: 'integer' };
      const effects = effectsOfSchemas({ ...integer, ...before }, { ...integer, ...after }, [{}, {}]);
      expect(effects).to.deep.equal([inRequest, inResponse]);
    });
});
