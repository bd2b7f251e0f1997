import type { Json } from 'contract-server';
import { createBatchLoader, type PostgresDatabase, type Statement } from 'contract-server/postgres';
import type { PageRequest, PetPage, Pets } from '../pet-store.js';
import { petJson } from './column-sql.js';
import { oldestTransaction } from './listing-delay.js';

/**
 * The pages of several requests. Each reads one more row to find out whether there is a next page. A page ends before
 * the first pet that is not listed yet, because a transaction that may create pets with smaller ids is running: ids and
 * transaction ids have the same order.
 *
 * @param condition SQL for the rows after the beginning of the page.
 * @param order the columns of an index.
 */
const selectPages = (condition: string, order: string) => `
  SELECT request.number, pets, last_id AS "lastId"
  FROM unnest($1::text[], $2::bigint[], $3::int[]) WITH ORDINALITY AS request (status, after_id, size, number),
  LATERAL (
    SELECT string_agg(${petJson}, ',') FILTER (WHERE number <= size) AS pets,
      CASE WHEN count(*) > size THEN max(id) FILTER (WHERE number <= size) END AS last_id
    FROM (
      SELECT *, row_number() OVER (ORDER BY ${order}) AS number
      FROM (SELECT * FROM pets WHERE ${condition} ORDER BY ${order} LIMIT size + 1) AS found
    ) AS numbered
    WHERE created_in < ${oldestTransaction}
  ) AS page`;

export const listPets: Statement = { name: 'list_pets', text: selectPages('id > after_id', 'id') };
// With `status = request.status`, the planner may scan all pets if it expects most to have that status. Only the index
// on status and id has the order of this form, and the scan begins at the page.
export const listPetsByStatus: Statement = {
  name: 'list_pets_by_status',
  text: selectPages('(status, id) > (request.status, after_id) AND status <= request.status', 'status, id'),
};

interface PageRow {
  /** Counts the requests from 1. */
  readonly number: number;
  readonly pets: string | null;
  readonly lastId: number | null;
}

/** Returns a function that reads the pages of all requests of an event-loop tick with one query. */
export function createPageLoader(db: PostgresDatabase): (request: PageRequest) => Promise<PetPage> {
  const loaderOf = (statement: Statement) =>
    createBatchLoader((requests: readonly PageRequest[]) => loadPages(db, statement, requests));
  const [load, loadByStatus] = [loaderOf(listPets), loaderOf(listPetsByStatus)];
  return (request) => (request.status === undefined ? load : loadByStatus)(request);
}

async function loadPages(
  db: PostgresDatabase,
  statement: Statement,
  requests: readonly PageRequest[],
): Promise<PetPage[]> {
  const rows = await db.query<PageRow>(statement, [
    requests.map(({ status }) => status),
    requests.map(({ afterId }) => afterId),
    requests.map(({ limit }) => limit),
  ]);
  const pages = new Map(rows.map((row) => [row.number, row]));
  return requests.map((_, index) => {
    const { pets, lastId } = pages.get(index + 1) ?? {};
    return { pets: `[${pets ?? ''}]` as Json<Pets>, lastId: lastId ?? undefined };
  });
}
