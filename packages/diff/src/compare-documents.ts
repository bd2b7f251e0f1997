import { methods } from '@contract-server/core/contract/operations.js';
import { textOf } from '@contract-server/core/json/equality.js';
import { compareItem, compareOperation } from './compare-operations.js';
import { type ComparedOperation, namesIn, type Values, valuesOf } from './compared-document.js';
import type { Kind } from './compatibility-rules.js';
import { type Recorder, type Site, siteAt } from './recorder.js';

const root: Site = { path: [], names: [], operation: undefined, isStable: true, direction: 'request' };

/** What other comparisons find, or what only its use gives a meaning. */
const parts = [
  'paths',
  'webhooks',
  'components',
  'security',
  'info',
  'x-error-codes',
  'x-rate-limit-plans',
  'x-rate-limit-ban',
];

/** Compares two contracts. */
export function compareDocuments(recorder: Recorder): void {
  const { released, current } = recorder;
  recorder.addFields(root, 'document', [released, current], parts);
  const [old, now] = [valuesOf(released['info']), valuesOf(current['info'])];
  for (const name of namesIn(old, now).filter((each) => textOf(old[each]) !== textOf(now[each])))
    recorder.add(siteAt(root, ['info']), [old, now], {
      ...{ kind: 'document', keyword: 'info', path: [name], before: old[name], after: now[name] },
    });
  for (const name of ['x-error-codes', 'x-rate-limit-plans'])
    compareMap(recorder, root, 'document', name, released[name], current[name]);
  const bans = [valuesOf(released['x-rate-limit-ban']), valuesOf(current['x-rate-limit-ban'])] as const;
  recorder.addFields(siteAt(root, ['x-rate-limit-ban']), 'document', bans);
  compareSchemes(recorder);
  comparePaths(recorder);
  compareWebhooks(recorder);
}

/** Compares the entries of a map, and the fields of each. */
function compareMap(recorder: Recorder, site: Site, kind: Kind, name: string, before: unknown, after: unknown): void {
  const [olds, news] = [valuesOf(before), valuesOf(after)];
  for (const key of namesIn(olds, news)) {
    const [old, current] = [olds[key], news[key]];
    const isObject = typeof old === 'object' && typeof current === 'object';
    if (isObject) recorder.addFields(siteAt(site, [name, key]), kind, recorder.resolved(old, current));
    else if (old !== current)
      recorder.add(site, [olds, news], { kind, keyword: `${name}/*`, path: [name, key], before: old, after: current });
  }
}

function compareSchemes(recorder: Recorder): void {
  const schemesOf = (document: Values) => valuesOf(valuesOf(document['components'])['securitySchemes']);
  const [olds, news] = [schemesOf(recorder.released), schemesOf(recorder.current)];
  const site = siteAt(root, ['components']);
  for (const name of namesIn(olds, news)) {
    const path = ['securitySchemes', name];
    const [old, current] = [olds[name], news[name]];
    const change = { kind: 'securityScheme', keyword: 'securitySchemes/*', path } as const;
    if (recorder.addUnpaired(site, [olds, news], { ...change, before: old, after: current })) continue;
    const [one, other] = recorder.resolved(old, current);
    const place = siteAt(site, path);
    recorder.addFields(place, 'securityScheme', [one, other], ['flows', 'x-key-prefixes']);
    compareMap(recorder, place, 'securityScheme', 'x-key-prefixes', one['x-key-prefixes'], other['x-key-prefixes']);
    compareFlows(recorder, siteAt(place, ['flows']), valuesOf(one['flows']), valuesOf(other['flows']));
  }
}

function compareFlows(recorder: Recorder, site: Site, before: Values, after: Values): void {
  for (const name of namesIn(before, after)) {
    const [old, current] = [before[name], after[name]];
    const change = { kind: 'securityScheme', keyword: 'flows/*', path: [name], before: old, after: current } as const;
    if (recorder.addUnpaired(site, [before, after], change)) continue;
    const [one, other] = [valuesOf(old), valuesOf(current)];
    recorder.addFields(siteAt(site, [name]), 'securityScheme', [one, other], ['scopes']);
    compareMap(recorder, siteAt(site, [name]), 'securityScheme', 'scopes', one['scopes'], other['scopes']);
  }
}

/** A path by its template without the names of parameters. */
function byTemplate(document: Values): Readonly<Record<string, readonly [path: string, item: Values]>> {
  const entries = Object.entries(valuesOf(document['paths']));
  return Object.fromEntries(entries.map(([path, item]) => [path.replace(/\{[^}]*\}/g, '{}'), [path, valuesOf(item)]]));
}

function comparePaths(recorder: Recorder): void {
  const [olds, news] = [byTemplate(recorder.released), byTemplate(recorder.current)];
  for (const template of namesIn(olds, news)) {
    const [oldPath, before] = olds[template] ?? [template, {}];
    const [newPath, after] = news[template] ?? [template, {}];
    const path = olds[template] === undefined ? newPath : oldPath;
    const place = { ...root, path: ['paths', path], names: ['paths', path] };
    const isExtension = template.startsWith('x-');
    if (!isExtension) recorder.addFields(place, 'operation', [before, after], [...methods, 'parameters', 'servers']);
    for (const method of isExtension ? [] : methods) compareMethod(recorder, method, [path, before], [newPath, after]);
  }
}

function compareMethod(
  recorder: Recorder,
  method: string,
  [path, before]: [string, Values],
  [newPath, after]: [string, Values],
): void {
  const [old, current] = [before[method], after[method]];
  if (old === undefined && current === undefined) return;
  const [released, changed] = [valuesOf(old), valuesOf(current)] as [
    Values & ComparedOperation,
    Values & ComparedOperation,
  ];
  const site = {
    ...root,
    path: ['paths', path, method],
    operation: released.operationId ?? changed.operationId ?? `${method.toUpperCase()} ${path}`,
    isStable: (released['x-stability'] ?? 'stable') === 'stable',
  };
  if (old !== undefined && current !== undefined) {
    const place = (item: Values, operation: Values, template: string) => ({
      item,
      operation,
      path: ['paths', template, method],
    });
    compareOperation(recorder, site, place(before, released, path), place(after, changed, newPath));
    return;
  }
  // From the day on that the released contract announces.
  const isAnnounced = released['x-sunset'] !== undefined && released['x-sunset'] <= recorder.today;
  const change = { kind: 'operation', keyword: 'paths/*', path: [], before: old, after: current } as const;
  recorder.add(site, [old, current], { ...change, ...(isAnnounced && { effect: 'non-breaking' }) });
}

function compareWebhooks(recorder: Recorder): void {
  const [olds, news] = [valuesOf(recorder.released['webhooks']), valuesOf(recorder.current['webhooks'])];
  for (const name of namesIn(olds, news)) {
    const [old, now] = [olds[name], news[name]];
    const path = ['webhooks', name];
    const site: Site = { ...root, direction: 'response' };
    const change = { kind: 'operation', keyword: 'webhooks/*', path, before: old, after: now } as const;
    if (recorder.addUnpaired(site, [olds, news], change)) continue;
    compareItem(recorder, siteAt(site, path), ...recorder.resolved(old, now));
  }
}
