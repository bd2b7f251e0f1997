import { textOf } from '@contract-server/core/json/equality.js';
import { compareItems, compareMembers } from './compare-members.js';
import { pairsOf } from './compared-document.js';
import { comparePaired, type PairContext, reportKeyword } from './pair-context.js';
import { type Alternative, branchesFor } from './schema-alternatives.js';
import { assertionsOf, type Combined, isAllowed, listedValues } from './schema-keywords.js';
import type { Choice, Parts, SchemaReader } from './schema-parts.js';
import { types } from './schema-types.js';

/** Compares two schemas without choices for values of one type. */
export function compareView(context: PairContext, before: Alternative, after: Alternative, type: number): void {
  const listed = [listedValues(before.parts, type), listedValues(after.parts, type)] as const;
  const used = listed[context.direction === 'request' ? 0 : 1];
  // No value is used, so none is lost.
  if (used !== undefined && (used.value as unknown[]).length === 0) return;
  compareListed(context, ...listed);
  compareAssertions(context, before.parts, after.parts, type, used?.value as readonly unknown[] | undefined);
  compareUnevaluated(context, before.parts, after.parts);
  compareExclusive(context, before, after, type);
  compareNegations(context, before.parts, after.parts);
  compareConditions(context, before.parts, after.parts);
  if (type === types.object) compareMembers(context, before.parts, after.parts);
  if (type === types.array) compareItems(context, before.parts, after.parts);
}

function compareListed(context: PairContext, before: Combined | undefined, after: Combined | undefined): void {
  if (before === undefined || after === undefined) {
    reportKeyword(context, 'enum', before, after);
    return;
  }
  const [olds, news] = [before.value as unknown[], after.value as unknown[]];
  const missingIn = (values: readonly unknown[]) => {
    const texts = new Set(values.map(textOf));
    return (value: unknown) => !texts.has(textOf(value));
  };
  const [removed, added] = [olds.filter(missingIn(news)), news.filter(missingIn(olds))];
  if (removed.length > 0 && before.keyword === 'const' && after.keyword === 'const') {
    reportKeyword(context, 'enum', before, after);
    return;
  }
  for (const value of removed)
    context.report({ keyword: 'enum/*', path: itemPath(before, value), before: value, after: undefined });
  for (const value of added)
    context.report({ keyword: 'enum/*', path: itemPath(after, value), before: undefined, after: value });
}

function itemPath({ path, written, keyword }: Combined, value: unknown) {
  const index = keyword === 'const' ? 0 : (written as unknown[]).findIndex((each) => textOf(each) === textOf(value));
  return [...path.slice(0, -1), 'enum', index];
}

function compareAssertions(
  context: PairContext,
  before: Parts,
  after: Parts,
  type: number,
  used: readonly unknown[] | undefined,
): void {
  const [olds, news] = [assertionsOf(before, type), assertionsOf(after, type)];
  const covering = context.direction === 'request' ? after : before;
  for (const [name, old, current] of pairsOf(olds, news)) {
    const compared = [old?.value, current?.value] as const;
    if (textOf(compared[0]) === textOf(compared[1])) continue;
    // Each listed value satisfies the limit, so that it excludes none.
    const isImplied = used !== undefined && isAllowed(used, name, covering);
    reportKeyword(context, name, old, current, { compared, ...(isImplied && { effect: 'non-breaking' }) });
  }
}

/** What is evaluated may depend on each other keyword, so the schemas must be equal. See `schema-parts.ts`. */
function compareUnevaluated(context: PairContext, before: Parts, after: Parts): void {
  const keyword = ['unevaluatedProperties', 'unevaluatedItems'].find((name) =>
    [...before, ...after].some(({ keywords }) => keywords[name] !== undefined),
  );
  if (keyword === undefined) return;
  const [old, current] = [before, after].map((parts) =>
    textOf(parts.map(({ keywords, choices }) => [keywords, choices])),
  );
  const values = { before: {}, after: {}, effect: 'breaking' } as const;
  if (old === current) context.descend(before, after, [], 'equal');
  else context.report({ keyword, path: [keyword], ...values });
}

/** `oneOf` whose branches share values: each branch must allow the same values as one of the other schema. */
function compareExclusive(context: PairContext, before: Alternative, after: Alternative, type: number): void {
  for (let index = 0; index < Math.max(before.exclusive.length, after.exclusive.length); index += 1) {
    const [old, current] = [before.exclusive[index], after.exclusive[index]];
    if (old !== undefined && current !== undefined) compareBranches(context, old, current, type);
    else reportKeyword(context, 'oneOf', old && { ...old, written: [] }, current && { ...current, written: [] });
  }
}

function compareBranches(context: PairContext, before: Choice, after: Choice, type: number): void {
  const partsOf = (reader: SchemaReader, choice: Choice) =>
    branchesFor(reader, choice, type).map(({ schema, path }) => ({ parts: reader.partsOf(schema), path }));
  const [olds, news] = [partsOf(context.before, before), partsOf(context.after, after)];
  if (olds.length !== news.length || before.isExclusive !== after.isExclusive) {
    const values = { before: olds.length, after: news.length };
    context.report({ keyword: 'oneOf', path: before.path, ...values, effect: 'breaking' });
    return;
  }
  const unused = new Set(news);
  for (const [index, old] of olds.entries()) {
    const candidates = [...news.slice(index, index + 1), ...unused].filter((each) => unused.has(each));
    const found = candidates.find(({ parts }) => context.isEqual(old.parts, parts)) ?? candidates[0];
    if (found === undefined) continue;
    unused.delete(found);
    context.descend(old.parts, found.parts, old.path, 'equal');
  }
}

function compareNegations(context: PairContext, before: Parts, after: Parts): void {
  const having = (parts: Parts) => parts.filter(({ keywords }) => keywords['not'] !== undefined);
  comparePaired(context, 'not', having(before), having(after), (old, current) => {
    const [one, other] = [context.before.partsOf(old.keywords['not']), context.after.partsOf(current.keywords['not'])];
    context.descend(one, other, [...old.path, 'not'], 'opposite');
  });
}

function compareConditions(context: PairContext, before: Parts, after: Parts): void {
  const having = (parts: Parts) =>
    parts.filter(({ keywords: own }) => own['if'] !== undefined && (own['then'] ?? own['else']) !== undefined);
  comparePaired(context, 'if', having(before), having(after), (old, current) => {
    for (const keyword of ['if', 'then', 'else']) {
      const [one, other] = [
        context.before.partsOf(old.keywords[keyword]),
        context.after.partsOf(current.keywords[keyword]),
      ];
      context.descend(one, other, [...old.path, keyword], keyword === 'if' ? 'equal' : 'same');
    }
  });
}
