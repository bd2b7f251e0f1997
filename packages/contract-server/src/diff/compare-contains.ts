import { type PairContext, reportSaid, type Said } from './pair-context.js';
import type { Part, Parts } from './schema-parts.js';

/** Compares `contains` with `minContains` and `maxContains`. */
export function compareContains(context: PairContext, before: Parts, after: Parts): void {
  const [olds, news] = [containing(before), containing(after)];
  for (let index = 0; index < Math.max(olds.length, news.length); index += 1) {
    const [old, current] = [olds[index], news[index]];
    if (old !== undefined && current !== undefined) compareBoth(context, old, current);
    else reportSaid(context, 'contains', said(old, 'contains'), said(current, 'contains'));
  }
}

function compareBoth(context: PairContext, old: Part, current: Part): void {
  const isBounded = [old, current].some(({ keywords }) => keywords['maxContains'] !== undefined);
  const parts = [context.before.partsOf(old.keywords['contains']), context.after.partsOf(current.keywords['contains'])];
  // At most a number of items may match, so more matching ones allow fewer arrays.
  const relation = isBounded ? 'equal' : 'same';
  context.descend(parts[0] ?? [], parts[1] ?? [], [...old.path, 'contains'], relation);
  for (const [keyword, fallback] of [['minContains', 1], ['maxContains']] as const) {
    const [one, other] = [said(old, keyword, fallback), said(current, keyword, fallback)];
    if (one?.written !== other?.written) reportSaid(context, keyword, one, other);
  }
}

function said(part: Part | undefined, keyword: string, fallback?: number): Said | undefined {
  const written = part?.keywords[keyword] ?? fallback;
  return written === undefined ? undefined : { path: [...(part?.path ?? []), keyword], written };
}

/** The parts whose `contains` excludes something. */
function containing(parts: Parts): Parts {
  return parts.filter(
    ({ keywords: { contains, minContains, maxContains } }) =>
      contains !== undefined && (minContains !== 0 || maxContains !== undefined),
  );
}
