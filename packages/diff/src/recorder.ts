import { resolve } from '@contract-server/core/contract/json-pointer.js';
import { textOf } from '@contract-server/core/json/equality.js';
import { type Direction, namesIn, type Path, type Values, valuesOf } from './compared-document.js';
import { type Action, actionOf, effectOf, type Kind } from './compatibility-rules.js';
import type { SchemaPair } from './pair-context.js';
import { SchemaComparison } from './schema-comparison.js';
import type { Effect } from './verdicts.js';

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
  readonly operations: readonly string[];
}

type Effective = Pick<RecordedChange, 'action' | 'before' | 'after' | 'effect'>;
type Recorded = Omit<RecordedChange, 'operations'> & { readonly operations: Set<string> };

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
  private readonly found = new Map<unknown, Recorded>();
  /** Changes that break no clients, because the operation may change. */
  private readonly allowed = new Map<unknown, Recorded>();
  private readonly roots: { readonly site: Site; readonly pair: SchemaPair }[] = [];

  constructor(
    readonly released: Values,
    readonly current: Values,
    /** `YYYY-MM-DD` */
    readonly today: string,
  ) {
    this.schemas = new SchemaComparison(released, current);
  }

  /** All changes, after the last one was added. */
  finish(): readonly RecordedChange[] {
    this.schemas.prune();
    for (const { site, pair } of this.roots) this.addPairs(site, pair);
    const all = [...this.found.values(), ...this.allowed.values()];
    return all.map(({ operations, ...change }) => ({ ...change, operations: [...operations] }));
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
    const ids = owners.map((each) => (typeof each === 'object' && each !== null ? this.schemas.idOf(each) : 0));
    const key = textOf([ids, keyword, path, action, site.direction]);
    this.record(site, key, () => path, { action, before, after, effect: decided });
  }

  /** Adds an entry of a map or a list that only one contract has. Returns false for one that both have. */
  addUnpaired(site: Site, owners: readonly unknown[], change: Change): boolean {
    const { before, after } = change;
    if (before !== undefined && after !== undefined) return false;
    if (before !== after) this.add(site, owners, change);
    return true;
  }

  /**
   * Adds the changes of the keywords of an object, but not of those that have comparisons of their own.
   *
   * @param owners the objects as they are written, if those that are compared have more keywords.
   */
  addFields(
    site: Site,
    kind: Kind,
    [before, after]: readonly [before: Values, after: Values],
    others: readonly string[] = [],
    owners: readonly unknown[] = [before, after],
  ): void {
    for (const keyword of namesIn(before, after).filter((name) => !others.includes(name))) {
      const [old, current] = [before[keyword], after[keyword]];
      if (textOf(old) !== textOf(current))
        this.add(site, owners, { kind, keyword, path: [keyword], before: old, after: current });
    }
  }

  /** Adds what has changed between two schemas, and those that they contain. */
  addSchemas(site: Site, before: unknown, after: unknown): void {
    const mode = { direction: site.direction, isStrict: false };
    this.roots.push({ site, pair: this.schemas.compare(before, after, mode) });
  }

  private addPairs(site: Site, root: SchemaPair): void {
    const queue: Reached[] = [{ pair: root, path: [], from: undefined }];
    const seen = new Set([root]);
    for (const reached of queue) {
      for (const change of reached.pair.changes.values())
        this.record(site, change, () => [...pathTo(reached), ...change.path], change);
      for (const { path, pair } of reached.pair.inner) {
        if (!seen.has(pair)) queue.push({ pair, path, from: reached });
        seen.add(pair);
      }
    }
  }

  /** @param key the same for what several operations share. */
  private record(site: Site, key: unknown, pathOf: () => Path, change: Effective): void {
    const isAllowed = change.effect === 'breaking' && !site.isStable;
    const found = isAllowed ? this.allowed : this.found;
    const known = found.get(key);
    if (known !== undefined) {
      if (site.operation !== undefined) known.operations.add(site.operation);
      return;
    }
    const { path, names } = siteAt(site, pathOf());
    const { action, before, after, effect } = change;
    const values = { action, before, after, effect: isAllowed ? 'non-breaking' : effect } as const;
    found.set(key, {
      path,
      names,
      ...values,
      operations: new Set(site.operation === undefined ? [] : [site.operation]),
    });
  }
}

/** A pair of schemas, and the pair that contains it. */
interface Reached {
  readonly pair: SchemaPair;
  readonly path: Path;
  readonly from: Reached | undefined;
}

function pathTo({ path, from }: Reached): Path {
  return from === undefined ? path : [...pathTo(from), ...path];
}
