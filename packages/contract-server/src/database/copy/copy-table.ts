import { CommandError } from '@contract-server/core/lib/errors.js';
import type Database from 'better-sqlite3';
import type { PostgresTransaction } from '../postgres/transaction.js';
import { type ColumnPair, quote, type TablePair } from './table-pairs.js';

/** Limits of a batch: its rows, and the characters and bytes of its values. */
const rowsMax = 5000;
const sizeMax = 4 * 1024 * 1024;

type Row = readonly unknown[];

/**
 * Copies the rows of a table in the order of their insertion.
 *
 * @param progress called after each batch with the copied rows, and with all rows.
 * @returns the number of copied rows.
 * @throws CommandError if a value does not fit its column. Other errors are those of the databases.
 */
export async function copyTable(
  source: Database.Database,
  target: PostgresTransaction,
  table: TablePair,
  progress: (copied: number, rows: number) => void,
): Promise<number> {
  const { columns } = table;
  const total = source
    .prepare<[], number>(`SELECT count(*) FROM ${quote(table.source)}`)
    .pluck()
    .get() as number;
  const names = columns.map((column) => quote(column.source)).join(', ');
  // In the order of insertion, which columns of PostgreSQL such as identities repeat.
  const select = `SELECT ${names} FROM ${quote(table.source)} ${table.hasRowid ? 'ORDER BY rowid' : ''}`;
  const rows = source.prepare<[], unknown[]>(select).raw().safeIntegers().iterate();
  const insert = insertOf(table);
  let copied = 0;
  for (const batch of batchesOf(rows)) {
    const values = columns.map((column, index) => batch.map((row) => requireFit(row[index], table, column)));
    copied += await target.execute(insert, values);
    progress(copied, total);
  }
  return copied;
}

/** The parameters are the columns as arrays of text, which every type of PostgreSQL can be read from. */
function insertOf({ target, columns }: TablePair): string {
  const names = columns.map((column) => quote(column.target)).join(', ');
  const parameters = columns.map((_, index) => `$${String(index + 1)}::text[]`).join(', ');
  const values = columns.map((_, index) => `value${String(index + 1)}`);
  const casts = values.map((value, index) => `${value}::${String(columns[index]?.type)}`).join(', ');
  // Otherwise, an identity column would not accept the ids.
  return `INSERT INTO ${quote(target)} (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${casts} FROM unnest(${parameters}) AS given (${values.join(', ')})`;
}

/** A BLOB would become its hexadecimal digits in a text column. */
function requireFit(value: unknown, { source }: TablePair, column: ColumnPair): unknown {
  if (value === null || Buffer.isBuffer(value) === (column.type === 'bytea')) return value;
  const found = Buffer.isBuffer(value) ? 'a BLOB' : 'a value that is not a BLOB';
  throw new CommandError(`${source}.${column.source} has ${found}, but is ${column.type} in PostgreSQL.`);
}

/** Collects rows in batches that fit into memory. */
function* batchesOf(rows: Iterable<Row>): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let size = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of row) size += sizeOf(value);
    if (batch.length < rowsMax && size < sizeMax) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8;
}
