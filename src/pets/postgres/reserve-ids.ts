/** The key of the advisory lock: "PETI" in ASCII. */
export const idLockKey = 0x50455449;

/**
 * The beginning of a statement that inserts pets. Reading the single row of `id_lock` takes an advisory lock until the
 * commit, so that pets become visible in the order of their ids and pagination misses none; with the sequence alone, a
 * smaller id could appear after a greater one. A counter in a locked row would leave a dead version per group, which
 * a long backup keeps from being removed.
 */
export const lockIds = `
  WITH id_lock AS MATERIALIZED (SELECT pg_advisory_xact_lock(${String(idLockKey)}))`;

/**
 * Also reserves ids: `ids` has one row with `last_id_before`, the id before the first one.
 *
 * @param count SQL expression.
 */
export function reserveIds(count: string): string {
  return `${lockIds},
  ids AS MATERIALIZED (SELECT setval('pet_ids', nextval('pet_ids') + ${count} - 1) - ${count} AS last_id_before FROM id_lock)`;
}
