import { DatabaseError } from 'pg';

/** SQLSTATE codes and classes (postgresql.org/docs/current/errcodes-appendix.html) of trouble with the database rather than with a statement. */
const troubles = new RegExp(
  `^(${[
    // The connection, the resources, ids that are used up, an operator, the system, the server's configuration, and the server itself.
    ...['08', '53', '2200H', '57', '58', 'F0', 'XX'],
    // A transaction that may not write, because the server is a standby, or was ended, because it was idle.
    ...['25006', '25P03'],
    // A password, a role or a right that was changed, a database or a table that was dropped, perhaps to be restored.
    ...['28', '42501', '3D000', '42P01'],
    // A serialization failure, a deadlock, a lock that was waited for too long.
    ...['40001', '40P01', '55P03'],
  ].join('|')})`,
);

/** Whether a statement failed because the database cannot serve it for the moment, rather than by a defect of ours. */
export function isTrouble(error: unknown): boolean {
  if (error instanceof DatabaseError) return troubles.test(error.code ?? '');
  // What else the driver reports is about a connection that could not be made, broke, or took too long.
  return !(error instanceof TypeError || error instanceof RangeError);
}

/** Whether nothing was done, and may well be if it is tried again: a deadlock, a serialization failure, or no free connection. */
export function isUndone(error: unknown): boolean {
  return error instanceof DatabaseError && /^(40001|40P01|53300)$/.test(error.code ?? '');
}

/** Whether the connection was lost, so that nobody knows what became of the statement. */
export function isConnectionLoss(error: unknown): boolean {
  return error instanceof DatabaseError ? /^(08|57P0|25P03)/.test(error.code ?? '') : isTrouble(error);
}

/**
 * Whether the other connections are of no more use than this one: they lead to a server that takes no writes, perhaps since a failover, or
 * to one that says nothing any more, perhaps because its host is gone.
 */
export function dooms(error: unknown): boolean {
  return error instanceof DatabaseError ? error.code === '25006' : (error as Error).message === 'Query read timeout';
}

/** What went wrong, in the words of the database or the system. Where a host has several addresses, Node's error has a code and no words. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message === '' ? String(code) : message;
}
