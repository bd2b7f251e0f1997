import { textOf } from '@contract-server/core/json/equality.js';
import type { Int64 } from '@contract-server/core/json/int64.js';
import { integerBound, isWithin } from '@contract-server/core/schema/exact-number.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Path } from './compared-document.js';
import type { Part, Parts } from './schema-parts.js';
import { anyType, numbers, typeOf, types } from './schema-types.js';
import { compareNumbers } from './verdicts.js';

/** What all parts of a schema together state by one keyword. */
export interface Combined {
  /** Comparable, with one value for each meaning: `ifLowered` and others compare it. */
  readonly value: unknown;
  /** As it is written; the first one if several parts have the keyword. */
  readonly written: unknown;
  readonly keyword: string;
  readonly path: Path;
}

interface Assertion {
  readonly keywords: readonly string[];
  /** The types of values that it applies to. */
  readonly applies: number;
  /** Combines the values of several parts. `undefined` if they allow every value. */
  readonly combine: (found: readonly Written[], type: number) => unknown;
}

interface Written {
  readonly keyword: string;
  readonly value: unknown;
}

type Combine = Assertion['combine'];
const valuesOf = (found: readonly Written[]) => found.map(({ value }) => Number(value));
const least: Combine = (found) => Math.min(...valuesOf(found));
const greatest: Combine = (found) => Math.max(...valuesOf(found)) || undefined;
const isTrue: Combine = (found) => found.some(({ value }) => value === true) || undefined;
const list: Combine = (found) => [...new Map(found.map(({ value }) => [textOf(value), value])).values()];
/** A bound is its value, and whether it is exclusive. */
const bound =
  (sign: 1 | -1): Combine =>
  (found, type) => {
    const bounds = found.map(({ keyword, value }) =>
      boundOf(value as Int64, keyword.startsWith('exclusive'), type, sign),
    );
    const [worst] = bounds.sort(
      ([one, first], [other, second]) => sign * (compareNumbers(other, one) || second - first),
    );
    return worst;
  };

const assertions: readonly Assertion[] = [
  { keywords: ['minimum', 'exclusiveMinimum'], applies: numbers, combine: bound(1) },
  { keywords: ['maximum', 'exclusiveMaximum'], applies: numbers, combine: bound(-1) },
  { keywords: ['multipleOf'], applies: numbers, combine: list },
  { keywords: ['minLength'], applies: types.string, combine: greatest },
  { keywords: ['maxLength'], applies: types.string, combine: least },
  { keywords: ['pattern'], applies: types.string, combine: list },
  { keywords: ['contentEncoding'], applies: types.string, combine: list },
  { keywords: ['contentMediaType'], applies: types.string, combine: list },
  { keywords: ['format'], applies: numbers | types.string, combine: list },
  { keywords: ['minItems'], applies: types.array, combine: greatest },
  { keywords: ['maxItems'], applies: types.array, combine: least },
  { keywords: ['uniqueItems'], applies: types.array, combine: isTrue },
  { keywords: ['minProperties'], applies: types.object, combine: greatest },
  { keywords: ['maxProperties'], applies: types.object, combine: least },
  // What evaluates members by value: see `schema-parts.ts`.
  { keywords: ['unevaluatedItems'], applies: types.array, combine: list },
  { keywords: ['unevaluatedProperties'], applies: types.object, combine: list },
  { keywords: ['$ref'], applies: anyType, combine: list },
];

/** The keywords that do not depend on the type, or consist of schemas; their changes are found elsewhere. */
const structure = ['type', 'enum', 'const', 'properties', 'patternProperties', 'additionalProperties', 'propertyNames'];
const more = ['required', 'dependentRequired', 'dependentSchemas', 'items', 'prefixItems', 'contains', 'minContains'];
const known = new Set([...structure, ...more, 'maxContains', 'not', 'if', 'then', 'else']);
for (const { keywords } of assertions) for (const keyword of keywords) known.add(keyword);

/** What a schema states about values of a type, by the first keyword of each assertion. */
export function assertionsOf(parts: Parts, type: number): ReadonlyMap<string, Combined> {
  const found = assertions.flatMap(({ keywords, applies, combine }) => {
    if ((applies & type) === 0) return [];
    const written = writtenIn(parts, keywords);
    const [first] = written;
    const value = first === undefined ? undefined : combine(written, type);
    return value === undefined || first === undefined
      ? []
      : [[keywords[0] ?? '', { value, ...combinedAt(first) }] as const];
  });
  return new Map(found);
}

const ajv = new Ajv2020({ strict: false, meta: false, validateSchema: false });
/** What Ajv does not decide. */
const undecided = [
  'format',
  'contentEncoding',
  'contentMediaType',
  'unevaluatedItems',
  'unevaluatedProperties',
  '$ref',
];

/** Whether an assertion of a schema, by its first keyword, allows all of some values. */
export function isAllowed(values: readonly unknown[], name: string, parts: Parts): boolean {
  if (undecided.includes(name)) return false;
  const { keywords = [], applies } = assertions.find((each) => each.keywords[0] === name) ?? {};
  const limits = writtenIn(parts, keywords);
  // Ajv compares doubles.
  if (applies === numbers)
    return limits.every(({ keyword, value }) => values.every((each) => isWithin({ [keyword]: value }, each as Int64)));
  const isValid = limits.map(({ keyword, value }) => ajv.compile({ [keyword]: value }));
  return values.every((value) => isValid.every((validate) => validate(value)));
}

/** The allowed values of a type, by `enum` and `const`. `undefined` if they are not listed. */
export function listedValues(parts: Parts, type: number): Combined | undefined {
  const written = writtenIn(parts, ['enum', 'const']);
  const [first] = written;
  if (first === undefined || type === types.null) return undefined;
  const lists = written.map(({ keyword, value }) => (keyword === 'const' ? [value] : (value as unknown[])));
  const texts = lists.map((each) => new Set(each.map(textOf)));
  const isListed = (each: unknown) => typeOf(each) === type && texts.every((set) => set.has(textOf(each)));
  const values = new Map((lists[0] ?? []).filter(isListed).map((each) => [textOf(each), each]));
  if (type === types.boolean && values.size === 2) return undefined;
  return { value: [...values.values()], ...combinedAt(first) };
}

/** The other keywords of a schema, with the value of the first part that has each. */
export function otherKeywords(parts: Parts): ReadonlyMap<string, Combined> {
  const others = new Map<string, Combined>();
  for (const { keywords, path } of parts)
    for (const [keyword, value] of Object.entries(keywords))
      if (!known.has(keyword) && !others.has(keyword) && !isDefault(keyword, value))
        others.set(keyword, { value, written: value, keyword, path: [...path, keyword] });
  return others;
}

function isDefault(keyword: string, value: unknown): boolean {
  return value === false && ['deprecated', 'readOnly', 'writeOnly'].includes(keyword);
}

type Located = Written & { readonly part: Part };

function writtenIn(parts: Parts, names: readonly string[]): readonly Located[] {
  return parts.flatMap((part) =>
    names.flatMap((keyword) => {
      const value = part.keywords[keyword];
      return value === undefined ? [] : [{ keyword, value, part }];
    }),
  );
}

function combinedAt({ keyword, value, part }: Located): Omit<Combined, 'value'> {
  return { written: value, keyword, path: [...part.path, keyword] };
}

/** An exclusive bound of integers is an inclusive one. */
function boundOf(value: Int64, isExclusive: boolean, type: number, sign: 1 | -1): readonly [Int64, number] {
  if (type !== types.integer) return [value, isExclusive ? sign : 0];
  const round = isExclusive === (sign === 1) ? Math.floor : Math.ceil;
  const [inner = value] = integerBound(value, round, isExclusive ? BigInt(sign) : 0n);
  return [inner, 0];
}
