import { ApiError } from '@contract-server/core/lib/errors.js';
import type { Queryable } from '../queryable.js';
import type { Statement } from './statement.js';

/** What `pg` returns. */
interface Result<Row> {
  readonly rows: Row[];
  readonly rowCount: number | null;
  /** The first word of the statement, except that a COMMIT of a failed transaction is a ROLLBACK. */
  readonly command: string;
}

/** Sends a statement on the connection of a transaction. */
type Send = <Row extends object>(statement: string | Statement, values?: readonly unknown[]) => Promise<Result<Row>>;

/** A connection that a pool of `pg` has lent. */
interface LentConnection {
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
  release(isClosed: boolean): void;
}

/** The statements of a transaction. */
export class PostgresTransaction implements Queryable {
  private isOpen = true;

  /** @internal */
  constructor(private readonly send: Send) {}

  async query<Row extends object>(statement: string | Statement, values?: readonly unknown[]): Promise<Row[]> {
    return (await this.sendOpen<Row>(statement, values)).rows;
  }

  async execute(statement: string | Statement, values?: readonly unknown[]): Promise<number> {
    return (await this.sendOpen(statement, values)).rowCount ?? 0;
  }

  /** Rejects further statements: another transaction may use the connection. @internal */
  end(): void {
    this.isOpen = false;
  }

  private sendOpen: Send = (statement, values) => {
    if (!this.isOpen) throw new Error('The transaction has ended. Await its statements in its function.');
    return this.send(statement, values);
  };
}

/** Runs statements in a transaction on a connection of a pool, which gets it back. */
export async function runTransaction<T>(
  connection: LentConnection,
  send: Send,
  run: (transaction: PostgresTransaction) => Promise<T>,
): Promise<T> {
  const transaction = new PostgresTransaction(send);
  // The statements of a lost connection reject. Its event must not end the process.
  const ignore = () => undefined;
  connection.on('error', ignore);
  let isReusable = false;
  try {
    await send('BEGIN');
    const result = await run(transaction);
    const { command } = await send('COMMIT');
    if (command !== 'COMMIT') throw new Error('A statement of the transaction failed, so nothing was written.');
    isReusable = true;
    return result;
  } catch (error) {
    const isUnavailable = error instanceof ApiError && error.code === 'store_unavailable';
    if (!isUnavailable) isReusable = await succeeds(send('ROLLBACK'));
    throw error;
  } finally {
    transaction.end();
    connection.off('error', ignore);
    // If it cannot be reused, it is closed, which rolls back.
    connection.release(!isReusable);
  }
}

function succeeds(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
