import type { ErrorObject } from 'ajv';

/**
 * The number of errors in an array, an object or a reference after which no others are collected: as many as a query
 * has parameters.
 */
export const collectedMax = 100;

/** An error of Ajv. */
export interface CollectedError extends ErrorObject {
  /** The pointer of the value in which no errors after this one were collected. */
  readonly stoppedIn?: string;
}

export interface DistinctErrors {
  readonly errors: readonly CollectedError[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
}

/**
 * Returns one error per value, the last: for `status: 5`, that it must be one of the enum, and not that it must be a
 * string. Omits the errors of branches of `oneOf` or `anyOf`: with several, it is unknown which one the client means.
 * If there is one besides null, its errors describe the value.
 */
export function distinctErrors(all: readonly CollectedError[]): DistinctErrors {
  const unions = all.filter(isAmbiguous);
  const ambiguous = new Set(unions.map(({ instancePath }) => instancePath));
  const isInside = (path: string) => unions.length > 0 && someContaining(path, (each) => ambiguous.has(each));
  const byValue = new Map<string, CollectedError>();
  let isComplete = true;
  for (const error of all) {
    if (isAmbiguous(error) || (isRule(error) && !isInside(error.instancePath))) byValue.set(identityOf(error), error);
    if (error.stoppedIn !== undefined && !isInside(error.stoppedIn)) isComplete = false;
  }
  return { errors: [...byValue.values()], isComplete };
}

/** Returns at most `collectedMax` errors of a value that describe it as all of them do. @param path of the value. */
export function condenseErrors(all: CollectedError[], path: string): CollectedError[] {
  if (all.length <= collectedMax) return all;
  const { errors, isComplete } = distinctErrors(all);
  // An invalid value has at least one error.
  const kept = (errors.length > 0 ? errors : all).slice(0, collectedMax);
  const last = kept.at(-1);
  // A copy, because an error can be in several arrays.
  if (last && (!isComplete || kept.length < errors.length)) kept[kept.length - 1] = { ...last, stoppedIn: path };
  return kept;
}

/** Condenses the errors from an index on, in place. Returns whether there are so many that collecting can stop. */
export function condenseFrom(start: number, all: CollectedError[], path: string): boolean {
  // Those of `contains` can be condensed once for each item.
  const isDone = all[start + collectedMax - 1]?.stoppedIn === path;
  const kept = isDone ? all.slice(start, start + collectedMax) : condenseErrors(all.slice(start), path);
  all.splice(start, Infinity, ...kept);
  return kept.at(-1)?.stoppedIn === path;
}

function isAmbiguous({ keyword, schema, propertyName }: ErrorObject): boolean {
  if ((keyword !== 'oneOf' && keyword !== 'anyOf') || propertyName !== undefined) return false;
  return isUnion(schema);
}

/** Whether the schemas of `anyOf` or `oneOf` are several, besides null. */
export function isUnion(schemas: unknown): boolean {
  return (schemas as readonly { readonly type?: unknown }[]).filter(({ type }) => type !== 'null').length > 1;
}

const withoutRule: ReadonlySet<string> = new Set(['if', 'oneOf', 'anyOf']);

/** `if` follows the errors of its branch, `propertyNames` those of the name, and a union those of its only branch. */
function isRule({ keyword, schema, propertyName }: ErrorObject): boolean {
  if (withoutRule.has(keyword) || propertyName !== undefined) return false;
  return keyword !== 'type' || schema !== 'null';
}

/** Whether a pointer, or one that contains it, fulfills a condition. */
function someContaining(path: string, condition: (path: string) => boolean): boolean {
  for (let end = path.length; end >= 0; end = end === 0 ? -1 : path.lastIndexOf('/', end - 1))
    if (condition(path.slice(0, end))) return true;
  return false;
}

/** Identifies a value, or a missing or unknown field: no JSON pointer contains `~/`. */
function identityOf(error: ErrorObject): string {
  const field = fieldOf(error);
  return field === undefined ? error.instancePath : `${error.instancePath}~/${field}`;
}

/** The name of a missing, unknown or wrongly named field, or of the one that selects the schema. */
export function fieldOf({ params }: ErrorObject): string | undefined {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName, tag } = params as Readonly<
    Record<string, string>
  >;
  return missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName ?? tag;
}
