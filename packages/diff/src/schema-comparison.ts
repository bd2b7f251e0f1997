import { textOf } from '@contract-server/core/json/equality.js';
import { compareTypes } from './compare-types.js';
import { compareView } from './compare-view.js';
import { opposite, type Path, type Values } from './compared-document.js';
import { actionOf, effectOf } from './compatibility-rules.js';
import type { Mode, PairContext, SchemaPair } from './pair-context.js';
import type { Alternative } from './schema-alternatives.js';
import { type Parts, SchemaReader } from './schema-parts.js';

/** Compares the schemas of two documents. Each pair is compared once for each direction, so schemas may be circular. */
export class SchemaComparison {
  readonly before: SchemaReader;
  readonly after: SchemaReader;
  private readonly ids = new WeakMap<object, number>();
  private readonly pairs = new Map<string, SchemaPair>();
  private readonly queue: (() => void)[] = [];
  private idsCount = 0;

  constructor(released: Values, current: Values) {
    this.before = new SchemaReader(released);
    this.after = new SchemaReader(current);
  }

  compare(before: unknown, after: unknown, mode: Mode): SchemaPair {
    const pair = this.pairOf(this.before.partsOf(before), this.after.partsOf(after), mode);
    this.settle();
    return pair;
  }

  /** Omits the pairs that lead to no change, so that those of many operations are found in a short time. */
  prune(): void {
    const outer = new Map<SchemaPair, SchemaPair[]>();
    for (const pair of this.pairs.values())
      for (const { pair: inner } of pair.inner) {
        const list = outer.get(inner) ?? [];
        outer.set(inner, list);
        list.push(pair);
      }
    const leading = new Set([...this.pairs.values()].filter(({ changes }) => changes.size > 0));
    for (const pair of leading) for (const each of outer.get(pair) ?? []) leading.add(each);
    for (const pair of this.pairs.values()) pair.inner = pair.inner.filter(({ pair: inner }) => leading.has(inner));
  }

  /** A number for an object, the same each time. */
  idOf(object: object): number {
    const found = this.ids.get(object);
    if (found !== undefined) return found;
    this.idsCount += 1;
    this.ids.set(object, this.idsCount);
    return this.idsCount;
  }

  private pairOf(before: Parts, after: Parts, mode: Mode): SchemaPair {
    return this.create([this.keyOf(before), this.keyOf(after)], mode, (pair) => {
      compareTypes(this.contextOf(pair, mode), before, after);
    });
  }

  private viewOf(before: Alternative, after: Alternative, type: number, mode: Mode): SchemaPair {
    const keys = [before, after].map(
      ({ parts, exclusive }) => `${this.keyOf(parts)}|${exclusive.map((each) => this.idOf(each)).join()}`,
    );
    return this.create([...keys, String(type)], mode, (pair) => {
      compareView(this.contextOf(pair, mode), before, after, type);
    });
  }

  private create(keys: readonly string[], mode: Mode, compare: (pair: SchemaPair) => void): SchemaPair {
    const key = [...keys, mode.direction, mode.isStrict].join(' ');
    const found = this.pairs.get(key);
    if (found !== undefined) return found;
    const pair: SchemaPair = { changes: new Map(), inner: [] };
    this.pairs.set(key, pair);
    this.queue.push(() => {
      compare(pair);
    });
    return pair;
  }

  private keyOf(parts: Parts): string {
    return [...new Set(parts.map(({ keywords }) => this.idOf(keywords)))].sort((one, other) => one - other).join();
  }

  private settle(): void {
    for (let compare = this.queue.pop(); compare !== undefined; compare = this.queue.pop()) compare();
  }

  /** Whether a pair has no breaking change. One that is still compared reports its own. */
  isCompatible(root: SchemaPair): boolean {
    this.settle();
    const seen = new Set([root]);
    for (const { changes, inner } of seen) {
      if ([...changes.values()].some(({ effect }) => effect === 'breaking')) return false;
      for (const { pair } of inner) seen.add(pair);
    }
    return true;
  }

  private contextOf({ changes, inner }: SchemaPair, mode: Mode): PairContext {
    const add = (before: Parts, after: Parts, path: Path, other: Mode) => {
      inner.push({ path, pair: this.pairOf(before, after, other) });
    };
    return {
      ...mode,
      before: this.before,
      after: this.after,
      report: ({ keyword, compared, effect, ...change }) => {
        const action = actionOf(change);
        const [before, after] = compared ?? [change.before, change.after];
        const { direction } = mode;
        const decided = effect ?? effectOf({ kind: 'schema', keyword, direction, action, before, after });
        const key = textOf([change.path, action]);
        // Values of another type may be excluded.
        if (changes.get(key)?.effect !== 'breaking') changes.set(key, { ...change, action, effect: decided });
      },
      descend: (before, after, path, relation = 'same') => {
        const reversed = { direction: opposite(mode.direction), isStrict: true };
        if (relation === 'same') add(before, after, path, mode);
        else add(before, after, path, reversed);
        if (relation === 'equal') add(before, after, path, { ...mode, isStrict: true });
      },
      descendTo: (before, after, type) => {
        inner.push({ path: [], pair: this.viewOf(before, after, type, mode) });
      },
      isCompatible: (before, after, type) => this.isCompatible(this.viewOf(before, after, type, mode)),
      isEqual: (before, after) =>
        (['request', 'response'] as const).every((direction) =>
          this.isCompatible(this.pairOf(before, after, { direction, isStrict: true })),
        ),
    };
  }
}
