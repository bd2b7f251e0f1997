import { methods } from '@contract-server/core/contract/operations.js';
import { urlOf } from '@contract-server/core/contract/servers.js';
import { textOf } from '@contract-server/core/json/equality.js';
import { compareContent } from './compare-content.js';
import { compareParameters, type Located } from './compare-parameters.js';
import { compareResponses } from './compare-responses.js';
import { acceptsAll, securityOf } from './compare-security.js';
import { type ComparedOperation, namesIn, opposite, type Values, valuesOf } from './compared-document.js';
import { type Recorder, type Site, siteAt } from './recorder.js';
import type { Effect } from './verdicts.js';

/** What other comparisons find. */
const parts = [
  'parameters',
  'requestBody',
  'responses',
  'callbacks',
  'security',
  'servers',
  'x-sunset',
  'x-rate-limit',
];

/** Compares an operation that both contracts have. */
export function compareOperation(recorder: Recorder, site: Site, before: Located, after: Located): void {
  const [old, current] = [before.operation, after.operation];
  recorder.addFields(site, 'operation', [old, current], parts);
  addSunset(recorder, site, old, current);
  addRateLimit(recorder, site, old, current);
  compareSecurity(recorder, site, old, current);
  compareServers(recorder, site, before, after);
  compareParameters(recorder, site, before, after);
  compareBody(recorder, site, old, current);
  compareResponses(recorder, reversed(site), old['responses'], current['responses']);
  for (const name of namesIn(valuesOf(old['callbacks']), valuesOf(current['callbacks'])))
    compareCallback(recorder, site, name, [old, current]);
}

/** What is sent in the other direction. */
function reversed(site: Site): Site {
  return { ...site, direction: opposite(site.direction) };
}

function addSunset(recorder: Recorder, site: Site, before: Values, after: Values): void {
  const [old, current] = [before['x-sunset'], after['x-sunset']];
  if (old === current) return;
  const effect = sunsetEffect(before, after, recorder.today);
  const change = { kind: 'operation', keyword: 'x-sunset', path: ['x-sunset'], before: old, after: current } as const;
  recorder.add(site, [before, after], { ...change, effect });
}

/** A removal is announced for a deprecated operation and a day to come, and may only be postponed. */
function sunsetEffect({ 'x-sunset': before }: ComparedOperation, current: ComparedOperation, today: string): Effect {
  const { 'x-sunset': after, 'x-deprecated-at': deprecatedAt } = current;
  if (after === undefined) return 'non-breaking';
  if (before !== undefined) return after > before ? 'non-breaking' : 'breaking';
  return deprecatedAt !== undefined && after > deprecatedAt && after > today ? 'non-breaking' : 'breaking';
}

function addRateLimit(recorder: Recorder, site: Site, before: Values, after: Values): void {
  const [old, current] = [before['x-rate-limit'], after['x-rate-limit']];
  const change = { kind: 'operation', keyword: 'x-rate-limit', path: ['x-rate-limit'] } as const;
  if (recorder.addUnpaired(site, [before, after], { ...change, before: old, after: current })) return;
  const [one, other] = [valuesOf(old), valuesOf(current)];
  for (const name of namesIn(one, other).filter((each) => textOf(one[each]) !== textOf(other[each]))) {
    const place = { keyword: `x-rate-limit/${name}`, path: ['x-rate-limit', name] };
    recorder.add(site, [one, other], { ...change, ...place, before: one[name], after: other[name] });
  }
}

function compareSecurity(recorder: Recorder, site: Site, before: Values, after: Values): void {
  const { released, current } = recorder;
  const [old, now] = [securityOf(released, before), securityOf(current, after)];
  if (textOf(old) === textOf(now)) return;
  const isOwn = before['security'] !== undefined || after['security'] !== undefined;
  const place = isOwn ? siteAt(site, ['security']) : { ...site, path: ['security'], names: ['security'] };
  // In a callback, the client of the contract accepts what the service sends.
  const isAccepted = site.direction === 'request' ? acceptsAll(old, now) : acceptsAll(now, old);
  const effect = isAccepted ? 'non-breaking' : 'breaking';
  recorder.add(place, [old, now], {
    kind: 'operation',
    keyword: 'security',
    path: [],
    before: old,
    after: now,
    effect,
  });
}

/** The servers of an operation or of its path. For those of the document, its version has rules. */
function compareServers(recorder: Recorder, site: Site, before: Located, after: Located): void {
  const ownOf = ({ item, operation }: Located) => operation['servers'] ?? item['servers'];
  if (ownOf(before) === undefined && ownOf(after) === undefined) return;
  const urlsOf = (servers: unknown) => ((servers ?? []) as Parameters<typeof urlOf>[0][]).map(urlOf);
  const [old, current] = [ownOf(before) ?? recorder.released['servers'], ownOf(after) ?? recorder.current['servers']];
  const compared = [urlsOf(old), urlsOf(current)] as const;
  if (textOf(compared[0]) === textOf(compared[1])) return;
  const change = {
    kind: 'operation',
    keyword: 'servers',
    path: ['servers'],
    before: old ?? [],
    after: current ?? [],
  } as const;
  recorder.add(site, [old, current], { ...change, compared });
}

function compareBody(recorder: Recorder, site: Site, before: Values, after: Values): void {
  const [old, current] = [before['requestBody'], after['requestBody']];
  const place = siteAt(site, ['requestBody']);
  const [one, other] = recorder.resolved(old, current);
  const change = { kind: 'requestBody', keyword: 'requestBody', path: [] } as const;
  const values = { before: old && one, after: current && other };
  if (recorder.addUnpaired(place, [before, after], { ...change, ...values })) return;
  const completed = [
    { required: false, ...one },
    { required: false, ...other },
  ] as const;
  recorder.addFields(place, 'requestBody', completed, ['content'], [one, other]);
  compareContent(recorder, place, one['content'], other['content']);
}

/** The service is the client of a callback, so requests are sent in the other direction. */
function compareCallback(recorder: Recorder, site: Site, name: string, [before, after]: [Values, Values]): void {
  const [old, current] = [valuesOf(before['callbacks'])[name], valuesOf(after['callbacks'])[name]];
  const path = ['callbacks', name];
  const change = { kind: 'operation', keyword: 'callbacks/*', path } as const;
  if (recorder.addUnpaired(site, [before, after], { ...change, before: old, after: current })) return;
  const [one, other] = recorder.resolved(old, current);
  for (const expression of namesIn(one, other)) {
    const place = reversed(siteAt(site, [...path, expression]));
    const values = { path: [], before: one[expression], after: other[expression] };
    if (recorder.addUnpaired(place, [one, other], { ...change, ...values })) continue;
    compareItem(recorder, place, ...recorder.resolved(values.before, values.after));
  }
}

/** Compares the operations that the service sends, of a callback or a webhook. */
export function compareItem(recorder: Recorder, site: Site, before: Values, after: Values): void {
  for (const method of methods.filter((each) => each in before || each in after)) {
    const [old, current] = [before[method], after[method]];
    const place = siteAt(site, [method]);
    const change = { kind: 'operation', keyword: 'callbacks/*', path: [], before: old, after: current } as const;
    if (recorder.addUnpaired(place, [before, after], change)) continue;
    compareOperation(
      recorder,
      place,
      { item: before, operation: valuesOf(old), path: place.path },
      { item: after, operation: valuesOf(current), path: place.path },
    );
  }
}
