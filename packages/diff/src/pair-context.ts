import type { Direction, Path } from './compared-document.js';
import type { Action } from './compatibility-rules.js';
import type { Alternative } from './schema-alternatives.js';
import type { Part, Parts, SchemaReader } from './schema-parts.js';
import type { Effect } from './verdicts.js';

export interface SchemaChange {
  /** From the schema. */
  readonly path: Path;
  readonly action: Action;
  readonly before: unknown;
  readonly after: unknown;
  readonly effect: Effect;
}

/** Two schemas, and what has changed in the first one, without the schemas that it contains. */
export interface SchemaPair {
  readonly changes: Map<string, SchemaChange>;
  inner: { readonly path: Path; readonly pair: SchemaPair }[];
}

/** What is compared: whether the values after are allowed before, or the reverse. */
export interface Mode {
  readonly direction: Direction;
  /** Whether sets of values decide alone, as within `not`: a field that nothing described could have any value. */
  readonly isStrict: boolean;
}

/** A change of a keyword, with the values that the table compares, if they are not those that are written. */
interface Reported extends Omit<SchemaChange, 'effect' | 'action'> {
  readonly keyword: string;
  readonly compared?: readonly [before: unknown, after: unknown];
  readonly effect?: Effect;
}

/** The comparison of one pair, as the functions that compare its keywords see it. */
export interface PairContext extends Mode {
  readonly before: SchemaReader;
  readonly after: SchemaReader;
  readonly report: (change: Reported) => void;
  /** Compares schemas that this pair contains. `equal`: neither may allow more than the other. */
  descend(before: Parts, after: Parts, path: Path, relation?: 'same' | 'opposite' | 'equal'): void;
  /** Whether both allow the same values. */
  isEqual(before: Parts, after: Parts): boolean;
  /** Compares alternatives of schemas of this pair, for values of one type. */
  descendTo(before: Alternative, after: Alternative, type: number): void;
  isCompatible(before: Alternative, after: Alternative, type: number): boolean;
}

/** What a schema states by a keyword. */
export interface Stated {
  readonly path: Path;
  readonly written: unknown;
}

/** Reports a keyword that appears, disappears or changes, at its place before if there is one. */
export function reportKeyword(
  context: PairContext,
  keyword: string,
  before: Stated | undefined,
  after: Stated | undefined,
  more: Pick<Reported, 'compared' | 'effect'> = {},
): void {
  const found = before ?? after;
  if (found === undefined) return;
  context.report({ keyword, path: found.path, before: before?.written, after: after?.written, ...more });
}

/** Compares the parts that have a keyword one by one. */
export function comparePaired(
  context: PairContext,
  keyword: string,
  olds: Parts,
  news: Parts,
  compare: (before: Part, after: Part) => void,
): void {
  const statedIn = (part: Part | undefined) =>
    part && { path: [...part.path, keyword], written: part.keywords[keyword] };
  for (let index = 0; index < Math.max(olds.length, news.length); index += 1) {
    const [old, current] = [olds[index], news[index]];
    if (old !== undefined && current !== undefined) compare(old, current);
    else reportKeyword(context, keyword, statedIn(old), statedIn(current));
  }
}
