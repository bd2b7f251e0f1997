import { DatabaseError } from 'pg';

/**
 * How a statement failed, if the database and not the statement was the cause.
 *
 * - `conflict`: the transaction was rolled back, and may succeed if it is run again.
 * - `broken session`: the session is not in the state in which the driver left it, so the statement was not executed.
 *   It is run again on another one.
 * - `connection lost`: it is unknown whether the statement was committed. Reads are run again on another connection.
 * - `unavailable`: the statement was not executed, and will not be until an operator, or time, ends the cause.
 */
export type FailureKind = 'conflict' | 'broken session' | 'connection lost' | 'unavailable';

/**
 * The SQLSTATE codes and classes (postgresql.org/docs/current/errcodes-appendix.html) of outages. The first entry that
 * matches decides. All others are defects of the service: data and constraints (21 to 23, 44), syntax and
 * missing columns (the rest of 42), cursors, savepoints and ends of transactions, which the service does not use (24,
 * 2D, 3B), and what triggers and functions of an operator raise (09, 27, 2F, 38, 39, P0).
 */
const failureKinds: readonly (readonly [kind: FailureKind, states: RegExp])[] = [
  // Connection exceptions, a commit whose result the server does not know, and a server that ends the session.
  ['connection lost', /^(08|40003|57P0)/],
  // Serialization failures, deadlocks and other rollbacks; a snapshot that is too old.
  ['conflict', /^(40|72)/],
  [
    'broken session',
    // A cached plan that a migration has made invalid (0A); a transaction that another client left open or failed, or
    // that took too long (25); a portal (34) or prepared statement (26, 42P05) that is missing or exists already,
    // because a pooler has shared the session.
    /^(0A|25(?!006)|26|34|42P05)/,
  ],
  [
    'unavailable',
    // Resources, operators, the system, the server's configuration, and the server itself (53, 57, 58, F0, XX); no
    // remaining ids or transaction ids (2200H, 54); a database that accepts no connections, or a lock that is not
    // available (55); a transaction that may not write, because the server is a standby (25006); a changed password,
    // role or permission, or a dropped database, schema or table, perhaps to be restored (28, 42501, 3D, 3F, 42P01).
    /^(53|57|58|F0|XX|2200H|54|55|25006|28|42501|3D|3F|42P01)/,
  ],
];

/** How the database failed; `undefined` if the error is a defect of the service. */
export function classifyFailure(error: unknown): FailureKind | undefined {
  if (error instanceof DatabaseError && error.code !== undefined) {
    const { code } = error;
    return failureKinds.find(([, states]) => states.test(code))?.[0];
  }
  // All other errors of the driver are about a connection: it could not be made, broke, timed out, or does not use
  // PostgreSQL's protocol.
  return error instanceof TypeError || error instanceof RangeError ? undefined : 'connection lost';
}

/**
 * Whether opening a connection failed in a way that is typical of a limit: 53300, any class 08 in response to a login
 * (PgBouncer uses 08P01 for every rejection), or no free descriptor or port. Connections that are open may be usable.
 */
export function isConnectionLimit(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(08|53300)/.test(error.code ?? '');
  return ['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/**
 * Whether the other connections are as unusable as the one that failed: they lead to a server that rejects writes
 * (after a failover) or does not respond (its host is down), or have prepared statements for tables that have changed.
 */
export function invalidatesPool(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return (error as Error).message === 'Query read timeout';
  return error.code === '25006' || error.code === '0A000';
}
