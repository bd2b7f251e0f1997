import { compareContent } from './compare-content.js';
import { compareParameter } from './compare-parameters.js';
import { namesIn, pairsOf, type Values, valuesOf } from './compared-document.js';
import { type Recorder, type Site, siteAt } from './recorder.js';

/** Compares the responses of an operation. An added status is compared with the `default` or range that covered it. */
export function compareResponses(recorder: Recorder, site: Site, before: unknown, after: unknown): void {
  const [olds, news] = [byStatus(before), byStatus(after)];
  for (const status of namesIn(olds, news)) {
    const [old, current] = [olds[status], news[status]];
    const place = siteAt(site, ['responses', status]);
    if (old !== undefined && current !== undefined) {
      compareResponse(recorder, place, ...recorder.resolved(old, current));
      continue;
    }
    const cover = old ?? olds[`${status.slice(0, 1)}XX`] ?? olds['default'];
    const isCovered = old === undefined && cover !== undefined;
    const change = { kind: 'response', keyword: 'responses/*', path: [], before: old, after: current } as const;
    recorder.add(place, [old, current], { ...change, ...(isCovered && { effect: 'non-breaking' }) });
    if (isCovered) compareCovered(recorder, place, status, recorder.resolved(cover, current));
  }
}

/** Clients read an error as `default` describes it. A new success may have no content, and other headers. */
function compareCovered(recorder: Recorder, site: Site, status: string, [before, after]: readonly [Values, Values]) {
  const isError = /^[45]/.test(status);
  if (isError || after['content'] !== undefined) compareContent(recorder, site, before['content'], after['content']);
  if (isError) compareHeaders(recorder, site, [before, after], headersOf(before, after));
}

function byStatus(responses: unknown): Values {
  return Object.fromEntries(
    Object.entries(valuesOf(responses))
      .filter(([status]) => !status.startsWith('x-'))
      .map(([status, response]) => [status.replace(/xx$/i, 'XX'), response]),
  );
}

function compareResponse(recorder: Recorder, site: Site, before: Values, after: Values): void {
  recorder.addFields(site, 'response', [before, after], ['content', 'headers']);
  compareContent(recorder, site, before['content'], after['content']);
  compareHeaders(recorder, site, [before, after], headersOf(before, after));
}

function compareHeaders(
  recorder: Recorder,
  site: Site,
  owners: readonly unknown[],
  [olds, news]: readonly [Headers, Headers],
): void {
  for (const [name, old, current] of pairsOf(olds, news)) compareHeader(recorder, site, owners, [name, old, current]);
}

function compareHeader(
  recorder: Recorder,
  site: Site,
  owners: readonly unknown[],
  [name, old, current]: readonly [name: string, old: Header | undefined, current: Header | undefined],
): void {
  const path = ['headers', (old ?? current)?.name ?? name];
  const [before, after] = recorder.resolved(old?.value, current?.value);
  const change = { kind: 'response', keyword: 'headers/*', path } as const;
  if (recorder.addUnpaired(site, owners, { ...change, before: old && before, after: current && after })) return;
  compareParameter(recorder, siteAt(site, path), before, after);
}

interface Header {
  readonly name: string;
  readonly value: object;
}

type Headers = ReadonlyMap<string, Header>;

function headersOf(before: Values, after: Values): readonly [Headers, Headers] {
  return [byName(before['headers']), byName(after['headers'])];
}

/** `Content-Type` is described by the content (OpenAPI 3.0.4, section 4.7.17). */
function byName(headers: unknown): Headers {
  const entries = Object.entries(valuesOf(headers)).map(
    ([name, value]) => [name.toLowerCase(), { name, value: valuesOf(value) }] as const,
  );
  return new Map(entries.filter(([name]) => name !== 'content-type'));
}
