import { DatabaseError } from 'pg';

/**
 * The SQLSTATEs (postgresql.org/docs/current/errcodes-appendix.html) of defects of the service: invalid data, violated
 * constraints and wrong SQL. All others are outages; so are exhausted ids (2200H), a standby or an idle session (25006,
 * 25P03), a changed role (28), and a missing permission or table (42501, 42P01), which an operator may restore.
 */
const defects = /^(2(?!200H|5006|5P03|8)|42(?!501|P01)|44|P0)/;

/** Whether the database, and not the statement, is the cause of an error. */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseError) return !defects.test(error.code ?? '');
  // All other errors of the driver are about a connection.
  return !(error instanceof TypeError || error instanceof RangeError);
}

/**
 * Whether the other connections are as unusable as the one that failed: their prepared statements are outdated, or they
 * lead to a server that rejects writes (after a failover) or does not respond (its host is down).
 */
export function invalidatesPool(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(0A000|25006)$/.test(error.code ?? '');
  return (error as Error).message === 'Query read timeout';
}
