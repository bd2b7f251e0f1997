import { compareView } from './compare-view.js';
import type { Path } from './compared-document.js';
import type { PairContext } from './pair-context.js';
import { type Alternative, alternativesOf } from './schema-alternatives.js';
import type { Parts } from './schema-parts.js';

/** Compares two schemas for values of one type: each alternative of one must be covered by the other. */
export function compareAlternatives(context: PairContext, before: Parts, after: Parts, type: number): void {
  const isRequest = context.direction === 'request';
  const [olds, news] = [alternativesOf(context.before, before, type), alternativesOf(context.after, after, type)];
  const [covered, covering] = isRequest ? [olds, news] : [news, olds];
  const choice = covered.flatMap(({ exclusive }) => exclusive)[0];
  // A value that matches exactly one branch matches any.
  if (choice !== undefined && covering.every(({ exclusive }) => exclusive.length === 0)) {
    const values = isRequest ? { before: [], after: undefined } : { before: undefined, after: [] };
    context.report({ keyword: 'oneOf', path: choice.path, ...values });
    const [reader, used] = isRequest ? [context.before, before] : [context.after, after];
    match(context, alternativesOf(reader, used, type, true), covering, type);
  } else match(context, covered, covering, type);
}

function match(
  context: PairContext,
  covered: readonly Alternative[],
  covering: readonly Alternative[],
  type: number,
): void {
  const [first, partner] = [covered[0], covering[0]];
  if (covered.length === 1 && covering.length === 1 && first !== undefined && partner !== undefined)
    compareView(context, ...ordered(context, first, partner), type);
  else matchAll(context, covered, covering, type);
}

/** Both in the order of the contracts. */
function ordered({ direction }: PairContext, covered: Alternative, covering: Alternative) {
  return direction === 'request' ? ([covered, covering] as const) : ([covering, covered] as const);
}

/** Pairs each alternative that must be covered with one that covers it, otherwise with one that covers no other. */
function matchAll(
  context: PairContext,
  covered: readonly Alternative[],
  covering: readonly Alternative[],
  type: number,
): void {
  const isRequest = context.direction === 'request';
  const pairs = covered.map((one, index) => {
    const candidates = [...covering.slice(index, index + 1), ...covering];
    return [one, candidates.find((other) => context.isCompatible(...ordered(context, one, other), type))] as const;
  });
  const unused = new Set(covering);
  for (const [, found] of pairs) if (found !== undefined) unused.delete(found);
  for (const [one, found] of pairs) {
    const other = found ?? [...unused][0];
    if (other === undefined) reportBranch(context, one, isRequest ? 'remove' : 'add');
    else {
      unused.delete(other);
      context.descendTo(...ordered(context, one, other), type);
    }
  }
  for (const one of unused) reportBranch(context, one, isRequest ? 'add' : 'remove');
}

function reportBranch(context: PairContext, one: Alternative, action: 'add' | 'remove'): void {
  const values = action === 'add' ? { before: undefined, after: {} } : { before: {}, after: undefined };
  context.report({ keyword: 'anyOf/*', path: branchPathOf(one), ...values });
}

function branchPathOf({ parts }: Alternative): Path {
  const isChoice = (name: string | number) => name === 'anyOf' || name === 'oneOf';
  const path = parts.map((part) => part.path).find((each) => each.some(isChoice)) ?? ['anyOf'];
  return path.slice(0, path.findIndex(isChoice) + 2);
}
