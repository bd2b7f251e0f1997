import { textOf } from '@contract-server/core/json/equality.js';
import { compareContains } from './compare-contains.js';
import { type Path, valuesOf } from './compared-document.js';
import { type PairContext, reportKeyword } from './pair-context.js';
import { fieldNames, fieldOf, isHidden, itemOf, joined, type Member, restOf } from './schema-members.js';
import type { Parts } from './schema-parts.js';
import { typesOf } from './schema-types.js';

type Side = 'before' | 'after';

/** Compares the fields of objects in two schemas. */
export function compareMembers(context: PairContext, before: Parts, after: Parts): void {
  for (const name of new Set([...fieldNames(before), ...fieldNames(after)])) compareField(context, name, before, after);
  for (const name of namesBy('patternProperties', before, after)) comparePattern(context, name, before, after);
  compareMember(context, 'additionalProperties', restOf(context.before, before), restOf(context.after, after));
  compareRequired(context, before, after);
  const named = (side: Side, parts: Parts) =>
    joined(context[side], parts, ({ propertyNames }) => propertyNames, ['propertyNames']);
  compareMember(context, 'propertyNames', named('before', before), named('after', after));
  compareDependencies(context, before, after);
}

/** Compares the items of arrays in two schemas. */
export function compareItems(context: PairContext, before: Parts, after: Parts): void {
  const lengths = [...before, ...after].map(({ keywords }) => ((keywords['prefixItems'] ?? []) as unknown[]).length);
  for (let index = 0; index < Math.max(0, ...lengths); index += 1)
    compareMember(context, 'prefixItems/*', itemOf(context.before, before, index), itemOf(context.after, after, index));
  compareMember(context, 'items', itemOf(context.before, before), itemOf(context.after, after));
  compareContains(context, before, after);
}

/** The names of the entries of a keyword. */
function namesBy(keyword: string, before: Parts, after: Parts): ReadonlySet<string> {
  return new Set([...before, ...after].flatMap(({ keywords }) => Object.keys(valuesOf(keywords[keyword]))));
}

/** A schema for members that appears, disappears or changes. */
function compareMember(context: PairContext, keyword: string, before?: Member, after?: Member): void {
  if (before !== undefined && after !== undefined) context.descend(before.parts, after.parts, before.path);
  else reportKeyword(context, keyword, before, after);
}

function compareField(context: PairContext, name: string, before: Parts, after: Parts): void {
  const [old, current] = [fieldOf(context.before, before, name), fieldOf(context.after, after, name)];
  const sent = [sentField(context, 'before', old), sentField(context, 'after', current)] as const;
  if (sent[0] !== undefined && sent[1] !== undefined) context.descend(sent[0].parts, sent[1].parts, sent[0].path);
  else if (sent[1] !== undefined) compareAddition(context, old, sent[1]);
  else reportKeyword(context, 'properties/*', sent[0], undefined);
}

/** A field if it is declared, also for this direction, and may have a value. */
function sentField(context: PairContext, side: Side, field: Member | undefined): Member | undefined {
  if (field?.isDeclared !== true || isHidden(context[side], field.parts, context.direction)) return undefined;
  return typesOf(context[side], field.parts) === 0 ? undefined : field;
}

/** What covered the field before decides: nothing, a pattern, or `additionalProperties`. */
function compareAddition(context: PairContext, cover: Member | undefined, field: Member): void {
  const isClosed = cover !== undefined && typesOf(context.before, cover.parts) === 0;
  if (cover !== undefined && cover.isDeclared !== true && !isClosed)
    context.descend(cover.parts, field.parts, field.path);
  const isNarrowed = context.isStrict && cover === undefined && context.direction === 'request';
  const compared = [isClosed ? false : undefined, field.written] as const;
  reportKeyword(context, 'properties/*', undefined, field, { compared, ...(isNarrowed && { effect: 'breaking' }) });
}

/** A pattern for names takes them from `additionalProperties`, or returns them to it. */
function comparePattern(context: PairContext, pattern: string, before: Parts, after: Parts): void {
  const [old, current] = [restOf(context.before, before, pattern), restOf(context.after, after, pattern)];
  const path = (old ?? current)?.path ?? ['patternProperties', pattern];
  context.descend(old?.parts ?? [], current?.parts ?? [], path);
  const statedIn = (parts: Parts) =>
    namesBy('patternProperties', parts, []).has(pattern) ? { path, written: pattern } : undefined;
  const [one, other] = [statedIn(before), statedIn(after)];
  if (one === undefined || other === undefined) reportKeyword(context, 'patternProperties/*', one, other);
}

function compareRequired(context: PairContext, before: Parts, after: Parts): void {
  const [olds, news] = [requiredIn(context, 'before', before), requiredIn(context, 'after', after)];
  for (const name of new Set([...olds.keys(), ...news.keys()])) {
    const statedIn = (paths: ReadonlyMap<string, Path>) =>
      paths.has(name) && { path: paths.get(name) ?? [], written: name };
    const [old, current] = [statedIn(olds) || undefined, statedIn(news) || undefined];
    if (old === undefined || current === undefined) reportKeyword(context, 'required/*', old, current);
  }
}

/** The required fields that are sent in this direction. */
function requiredIn(context: PairContext, side: Side, parts: Parts): ReadonlyMap<string, Path> {
  const reader = context[side];
  const found = parts.flatMap(({ keywords, path }) =>
    ((keywords['required'] ?? []) as string[]).map((name, index) => [name, [...path, 'required', index]] as const),
  );
  return new Map(
    found.filter(([name]) => !isHidden(reader, fieldOf(reader, parts, name)?.parts ?? [], context.direction)),
  );
}

function compareDependencies(context: PairContext, before: Parts, after: Parts): void {
  for (const name of namesBy('dependentRequired', before, after)) {
    const [old, current] = [dependentOn(name, before), dependentOn(name, after)];
    if (textOf(old?.written) !== textOf(current?.written)) reportKeyword(context, 'dependentRequired/*', old, current);
  }
  for (const name of namesBy('dependentSchemas', before, after)) {
    const path = ['dependentSchemas', name];
    const schemas = (side: Side, parts: Parts) =>
      joined(context[side], parts, (keywords) => valuesOf(keywords['dependentSchemas'])[name], path);
    compareMember(context, 'dependentSchemas/*', schemas('before', before), schemas('after', after));
  }
}

/** The fields that a field requires. */
function dependentOn(name: string, parts: Parts) {
  const others = parts.flatMap(({ keywords }) => (valuesOf(keywords['dependentRequired'])[name] ?? []) as string[]);
  return others.length === 0 ? undefined : { path: ['dependentRequired', name], written: [...new Set(others)].sort() };
}
