import { DatabaseError } from 'pg';

/**
 * The SQLSTATE codes and classes (postgresql.org/docs/current/errcodes-appendix.html) of outages. All others are
 * defects of the service, such as invalid data (22), violated constraints (23) and wrong SQL (the rest of 42).
 */
const outages = [
  // Connections, commits whose result is unknown, and a server that ends the session.
  /^(08|25P03|57)/,
  // Serialization failures, deadlocks and other rollbacks; a cached plan that a migration has made invalid.
  /^(0A|40|72)/,
  // Resources, the system, the server's configuration, and the server itself; no remaining ids or transaction ids; a
  // database that accepts no connections, or a lock that is not available; a server that is a standby.
  /^(53|58|F0|XX|2200H|54|55|25006)/,
  // A changed password, role or permission; a dropped database, schema or table, perhaps to be restored.
  /^(28|42501|3D|3F|42P01)/,
];

/** Whether the database, and not the statement, is the cause of an error. */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseError) return outages.some((states) => states.test(error.code ?? ''));
  // All other errors of the driver are about a connection.
  return !(error instanceof TypeError || error instanceof RangeError);
}

/** Whether the connection cannot be used any more. It is unknown whether its statement was committed. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(08|0A|25006|25P|57P)/.test(error.code ?? '');
  return isOutage(error);
}

/** Whether a read can be run again at once on another connection: the server has ended this one, and responds. */
export function mayReadAgain(error: unknown): boolean {
  return isConnectionLost(error) && !(error as Error).message.includes('timeout');
}

/**
 * Whether the other connections are as unusable as the one that failed: they lead to a server that rejects writes
 * (after a failover) or does not respond (its host is down).
 */
export function invalidatesPool(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === '25006';
  return (error as Error).message === 'Query read timeout';
}
