import { comparePaired, type PairContext, reportKeyword, type Stated } from './pair-context.js';
import type { Part, Parts } from './schema-parts.js';

/** Compares `contains` with `minContains` and `maxContains`. */
export function compareContains(context: PairContext, before: Parts, after: Parts): void {
  comparePaired(context, 'contains', containing(before), containing(after), (old, current) => {
    compareBoth(context, old, current);
  });
}

function compareBoth(context: PairContext, old: Part, current: Part): void {
  const isBounded = [old, current].some(({ keywords }) => keywords['maxContains'] !== undefined);
  const parts = [context.before.partsOf(old.keywords['contains']), context.after.partsOf(current.keywords['contains'])];
  // At most a number of items may match, so more matching ones allow fewer arrays.
  const relation = isBounded ? 'equal' : 'same';
  context.descend(parts[0] ?? [], parts[1] ?? [], [...old.path, 'contains'], relation);
  for (const [keyword, fallback] of [['minContains', 1], ['maxContains']] as const) {
    const [one, other] = [statedIn(old, keyword, fallback), statedIn(current, keyword, fallback)];
    if (one?.written !== other?.written) reportKeyword(context, keyword, one, other);
  }
}

function statedIn({ keywords, path }: Part, keyword: string, fallback?: number): Stated | undefined {
  const written = keywords[keyword] ?? fallback;
  return written === undefined ? undefined : { path: [...path, keyword], written };
}

/** The parts whose `contains` excludes something. */
function containing(parts: Parts): Parts {
  return parts.filter(
    ({ keywords: { contains, minContains, maxContains } }) =>
      contains !== undefined && (minContains !== 0 || maxContains !== undefined),
  );
}
