/** The key of the advisory lock: "PETI" in ASCII. */
export const idLockKey = 0x50455449;

/**
 * The beginning of a statement that adds animals: `id_lock` has one row, and whoever reads it holds the lock of the ids
 * until the commit. So animals become visible in the order of their ids, and a reader who pages through them misses
 * none; with the sequence alone a smaller id could appear after a greater one. A row that is locked and counted up
 * would do as well, until a backup reads for an hour: then each group of creations would have to step over the versions
 * that all groups before it left behind.
 */
export const lockIds = `
  WITH id_lock AS MATERIALIZED (SELECT pg_advisory_xact_lock(${String(idLockKey)}))`;

/**
 * The same, with so many ids handed out: `ids` has one row with `last_id_before`, after which they come. @param count
 * is SQL.
 */
export function reserveIds(count: string): string {
  return `${lockIds},
  ids AS MATERIALIZED (SELECT setval('pet_ids', nextval('pet_ids') + ${count} - 1) - ${count} AS last_id_before FROM id_lock)`;
}
