import { invalidCursor } from '@contract-server/core/lib/errors.js';

/** The parameters of a request, as validated. */
export type Query = Readonly<Record<string, unknown>>;

/**
 * Selects from the items of an array what a query selects from the data of the service: a parameter with the name of a
 * field filters by this field, `limit` is the maximum number of items, and `cursor` selects a page. `next` is the
 * cursor of the next page; `undefined` on the last one.
 *
 * @param rejectsCursors whether a cursor of another filter or of no page is an error, or selects the first page.
 * @throws ApiError `invalid_cursor` for such a cursor.
 */
export function pageOf(all: readonly unknown[], query: Query, rejectsCursors: boolean) {
  const filters = filtersOf(all, query);
  const matching = all.filter((item) => filters.every(([name, values]) => values.includes(valueOf(item, name))));
  const { limit, cursor } = query;
  const found = typeof cursor === 'string' ? findStart(cursor, filters) : 0;
  if (found === undefined && rejectsCursors) throw invalidCursor();
  const start = found ?? 0;
  const end = typeof limit === 'number' ? start + limit : matching.length;
  const next = end < matching.length ? writeCursor(end, filters) : undefined;
  return { items: matching.slice(start, end), next };
}

type Filter = readonly [name: string, values: readonly string[]];

/** The parameters that have the name of a field, with their values. */
function filtersOf(items: readonly unknown[], query: Query): Filter[] {
  return Object.entries(query)
    .filter(([name]) => items.some((item) => valueOf(item, name) !== ''))
    .map(([name, value]): Filter => [name, [value].flat().map(String)]);
}

/** The value of a field as text; '' without it. */
function valueOf(item: unknown, name: string): string {
  const isNamed = typeof item === 'object' && item !== null && Object.hasOwn(item, name);
  return isNamed ? String((item as Query)[name]) : '';
}

function writeCursor(start: number, filters: readonly Filter[]): string {
  return Buffer.from(JSON.stringify([start, filters])).toString('base64url');
}

function findStart(cursor: string, filters: readonly Filter[]): number | undefined {
  const [, digits = ''] = /^\[([1-9][0-9]{0,8}),/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const start = Number(digits);
  return start > 0 && writeCursor(start, filters) === cursor ? start : undefined;
}
