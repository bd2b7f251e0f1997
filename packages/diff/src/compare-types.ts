import { textOf } from '@contract-server/core/json/equality.js';
import { compareAlternatives } from './compare-alternatives.js';
import { type PairContext, reportKeyword, type Stated } from './pair-context.js';
import { otherKeywords } from './schema-keywords.js';
import type { Parts } from './schema-parts.js';
import { anyType, bitsOf, namesOf, typesOf } from './schema-types.js';

/** Compares two schemas: their types, the keywords for values of each type, and their annotations. */
export function compareTypes(context: PairContext, before: Parts, after: Parts): void {
  const [old, current] = [typesOf(context.before, before), typesOf(context.after, after)];
  reportTypes(context, [before, old], [after, current]);
  if (old !== 0 && current !== 0) reportOthers(context, before, after);
  for (const type of bitsOf(old & current)) compareAlternatives(context, before, after, type);
}

function reportTypes(context: PairContext, [before, old]: [Parts, number], [after, current]: [Parts, number]): void {
  if (old === current) return;
  const compared = [bitsOf(old), bitsOf(current)] as const;
  // A schema that allows no value is `false`.
  if (old === 0 || current === 0)
    context.report({ keyword: 'type', path: [], before: old !== 0, after: current !== 0, compared });
  else reportKeyword(context, 'type', typeAt(before, old), typeAt(after, current), { compared });
}

function typeAt(parts: Parts, set: number): Stated | undefined {
  if (set === anyType) return undefined;
  const part = parts.find(({ keywords }) => keywords['type'] !== undefined);
  return { path: [...(part?.path ?? []), 'type'], written: part?.keywords['type'] ?? namesOf(set) };
}

/** Annotations, and keywords that no rule knows. */
function reportOthers(context: PairContext, before: Parts, after: Parts): void {
  const [olds, news] = [otherKeywords(before), otherKeywords(after)];
  for (const name of new Set([...olds.keys(), ...news.keys()])) {
    const [old, current] = [olds.get(name), news.get(name)];
    if (textOf(old?.value) !== textOf(current?.value)) reportKeyword(context, name, old, current);
  }
}
