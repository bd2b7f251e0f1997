import { basePathOf } from '@contract-server/core/contract/servers.js';
import { textOf } from '@contract-server/core/json/equality.js';
import type { Int64 } from '@contract-server/core/json/int64.js';
import { isMultiple } from '@contract-server/core/schema/exact-number.js';
import type { OpenAPIV3 } from 'openapi-types';

type Servers = readonly OpenAPIV3.ServerObject[];

/** The effect of a change on clients of the released contract. */
export type Effect = 'breaking' | 'non-breaking' | 'annotation';

/** Decides by the values before and after a change. */
export type Verdict = (before: unknown, after: unknown) => Effect;

const allowedIf =
  (isAllowed: Verdict extends (...values: infer Args) => unknown ? (...values: Args) => boolean : never): Verdict =>
  (before, after) =>
    isAllowed(before, after) ? 'non-breaking' : 'breaking';

/** A number, or a bound: its value, and a second number that orders inclusive and exclusive bounds. */
function order(one: unknown, other: unknown): number {
  const [first, second] = [[one].flat() as Int64[], [other].flat() as Int64[]];
  return first.map((part, index) => compareNumbers(part, second[index] ?? 0)).find((each) => each !== 0) ?? 0;
}

/** Orders numbers, exactly. */
export function compareNumbers(one: Int64, other: Int64): number {
  return Number(one > other) - Number(one < other);
}

function contains(list: unknown, part: unknown): boolean {
  const texts = new Set([list].flat().map(textOf));
  return [part].flat().every((each) => texts.has(textOf(each)));
}

/** Formats that allow every value of those before them. */
const formatFamilies = [
  ['int32', 'int64'],
  ['float', 'double'],
];

function allowsFormat(wide: unknown, narrow: unknown): boolean {
  const family = formatFamilies.find((names) => names.includes(String(narrow))) ?? [];
  return wide === narrow || family.indexOf(String(narrow)) < family.indexOf(String(wide));
}

/** Whether each member of the second list is implied by one of the first. */
function eachImplied(given: unknown, wanted: unknown, implies: (one: unknown, other: unknown) => boolean): boolean {
  return [wanted].flat().every((each) => [given].flat().some((one) => implies(one, each)));
}

const isMultipleOf = (multiple: unknown, part: unknown) => isMultiple(multiple as Int64, part as Int64);

export const ifRaised = allowedIf((before, after) => order(after, before) >= 0);
export const ifLowered = allowedIf((before, after) => order(after, before) <= 0);
/** Something was added to a list, and nothing removed. */
export const ifMore = allowedIf((before, after) => contains(after, before));
export const ifFewer = allowedIf((before, after) => contains(before, after));
export const ifWiderFormat = allowedIf((before, after) =>
  eachImplied(before, after, (one, other) => allowsFormat(other, one)),
);
export const ifNarrowerFormat = allowedIf((before, after) =>
  eachImplied(after, before, (one, other) => allowsFormat(other, one)),
);
/** Every multiple of the number before is one of the number after. */
export const ifDivisor = allowedIf((before, after) => eachImplied(before, after, isMultipleOf));
export const ifMultiple = allowedIf((before, after) => eachImplied(after, before, isMultipleOf));
/** What covered the part before was free: neither closed nor described by another schema. */
export const ifFree = allowedIf((before) => before === undefined);
export const ifTrue = allowedIf((_, after) => after === true);
export const ifFalse = allowedIf((_, after) => after !== true);
export const ifStable = allowedIf((_, after) => after === 'stable');
/** An operation without an operationId has a derived one, `GET /books`, that no client has as a name. */
export const ifDerivedName = allowedIf((before) => /^[A-Z]+ \//.test(String(before)));
/** The servers of the document are where it is served; only their path prefix is a part of each operation. */
export const ifSamePrefix: Verdict = (before, after) => {
  const [old, current] = [before, after].map((servers) => basePathOf({ servers: (servers ?? []) as Servers }));
  return old === current ? 'annotation' : 'breaking';
};
export const ifNotRequired = allowedIf(
  (before, after) => ((after ?? before) as { required?: unknown }).required !== true,
);
