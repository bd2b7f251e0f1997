import { resolve } from '../openapi/operations.js';
import { type Action, actionOf, effectOf, type Kind } from './compatibility-rules.js';
import { type Direction, namesIn, type Path, type Values, valuesOf } from './contract.js';
import type { SchemaPair } from './pair-context.js';
import { SchemaComparison } from './schema-comparison.js';
import { type Effect, textOf } from './verdicts.js';

/** A place in both contracts. */
export interface Site {
  /** In the released contract, or in the current one if it was added. References are resolved. */
  readonly path: Path;
  /** The same, with the names of parameters instead of their indexes, below the operation. */
  readonly names: Path;
  /** The operationId; `undefined` for what all operations share. */
  readonly operation: string | undefined;
  /** Whether clients may rely on it. */
  readonly isStable: boolean;
  readonly direction: Direction;
}

/** Something that has changed, with all operations that it reaches. */
export interface RecordedChange extends Pick<Site, 'path' | 'names'> {
  readonly action: Action;
  readonly before: unknown;
  readonly after: unknown;
  readonly effect: Effect;
  readonly operations: string[];
}

interface Found extends Pick<RecordedChange, 'action' | 'before' | 'after' | 'effect'> {
  /** The objects that have changed, as components that several operations share. */
  readonly owner: string;
  /** From the site. */
  readonly path: Path;
}

/** A change of a keyword, which the table decides. */
export interface Change {
  readonly kind: Kind;
  readonly keyword: string;
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
  /** What the table compares, if it is not what is written. */
  readonly compared?: readonly [before: unknown, after: unknown];
  readonly effect?: Effect;
}

/** The place below a site. */
export function siteAt(site: Site, path: Path, names: Path = path): Site {
  return { ...site, path: [...site.path, ...path], names: [...site.names, ...names] };
}

/** Collects changes. What several operations share is one change of all of them. */
export class Recorder {
  readonly schemas: SchemaComparison;
  private readonly found = new Map<string, RecordedChange>();
  private readonly visited = new Map<string, Set<SchemaPair>>();

  constructor(
    readonly released: Values,
    readonly current: Values,
    /** `YYYY-MM-DD` */
    readonly today: string,
  ) {
    this.schemas = new SchemaComparison(released, current);
  }

  get changes(): readonly RecordedChange[] {
    return [...this.found.values()];
  }

  /** Both objects at a place, with references resolved. */
  resolved(before: unknown, after: unknown): readonly [before: Values, after: Values] {
    return [resolve<Values>(this.released, valuesOf(before)), resolve<Values>(this.current, valuesOf(after))];
  }

  /** Adds a change of an object, or of the objects that own the place. */
  add(site: Site, owners: readonly unknown[], { kind, keyword, path, before, after, compared, effect }: Change): void {
    const action = actionOf({ before, after });
    const [one, other] = compared ?? [before, after];
    const decided = effect ?? effectOf({ kind, keyword, direction: site.direction, action, before: one, after: other });
    const owner = owners
      .map((each) => (typeof each === 'object' && each !== null ? this.schemas.idOf(each) : 0))
      .join();
    this.record(site, { owner, path, action, before, after, effect: decided });
  }

  /** Adds the changes of the keywords of an object, but not of those that have comparisons of their own. */
  addFields(site: Site, kind: Kind, before: Values, after: Values, others: readonly string[] = []): void {
    for (const keyword of namesIn(before, after).filter((name) => !others.includes(name))) {
      const [old, current] = [before[keyword], after[keyword]];
      if (textOf(old) !== textOf(current))
        this.add(site, [before, after], { kind, keyword, path: [keyword], before: old, after: current });
    }
  }

  /** Adds what has changed between two schemas, and those that they contain. */
  addSchemas(site: Site, before: unknown, after: unknown): void {
    const key = textOf([site.operation ?? null, site.path.slice(0, 3)]);
    const seen = this.visited.get(key) ?? new Set();
    this.visited.set(key, seen);
    const queue = [
      { path: [] as Path, pair: this.schemas.compare(before, after, { direction: site.direction, isStrict: false }) },
    ];
    for (const { path, pair } of queue) {
      if (seen.has(pair)) continue;
      seen.add(pair);
      const owner = `schema ${String(this.schemas.idOf(pair))}`;
      for (const change of pair.changes.values())
        this.record(site, { ...change, owner, path: [...path, ...change.path] }, change.path);
      for (const inner of pair.inner) queue.push({ path: [...path, ...inner.path], pair: inner.pair });
    }
  }

  private record(site: Site, { owner, path, action, before, after, effect }: Found, ownPath = path): void {
    const allowed = effect === 'breaking' && !site.isStable ? 'non-breaking' : effect;
    const key = textOf([owner, ownPath, action, allowed, site.direction]);
    const { operation } = site;
    const found = this.found.get(key);
    if (found === undefined) {
      const place = siteAt(site, path);
      const operations = operation === undefined ? [] : [operation];
      this.found.set(key, { path: place.path, names: place.names, action, before, after, effect: allowed, operations });
    } else if (operation !== undefined && !found.operations.includes(operation)) found.operations.push(operation);
  }
}
