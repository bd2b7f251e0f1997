import { ApiError, CommandError, reasonOf } from '@contract-server/core/lib/errors.js';
import type Database from 'better-sqlite3';
import { DatabaseError } from 'pg';
import type { PostgresDatabase } from '../postgres/database.js';
import type { PostgresTransaction } from '../postgres/transaction.js';
import type { SqliteDatabase } from '../sqlite/database.js';
import { isSqliteError } from '../sqlite/sqlite-error.js';
import { copyTable } from './copy-table.js';
import { pairTables, quote, type TablePair } from './table-pairs.js';
import { requireSameRows } from './verify.js';

export interface CopyOptions {
  /** The tables of SQLite that are not copied, because they belong to one node. */
  readonly localTables: readonly string[];
  /** Called after each batch with the copied rows of a table, and with all of its rows. */
  readonly progress: (table: string, copied: number, rows: number) => void;
}

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/**
 * Copies every row of SQLite into the empty tables of the same names in PostgreSQL, in one transaction: all or none.
 * Both databases have the migrations of this release. Sequences continue after the greatest id that was ever assigned.
 * Columns that only PostgreSQL has get their defaults. Writers of either database wait meanwhile.
 *
 * @throws CommandError if a table or a column has no counterpart, a table has rows, a value does not fit its column, a
 * database is unavailable, or the copied rows differ.
 */
export async function copyDatabase(
  source: SqliteDatabase,
  target: PostgresDatabase,
  options: CopyOptions,
): Promise<readonly CopiedTable[]> {
  const { connection } = source;
  try {
    // Excludes other writers until the target is committed: what they wrote later would be lost.
    await source.run(() => connection.exec('BEGIN IMMEDIATE'));
    return await target.transaction((transaction) => copyAll(connection, transaction, target.location, options));
  } catch (error) {
    throw toCommandError(error);
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

async function copyAll(
  source: Database.Database,
  target: PostgresTransaction,
  location: string,
  { localTables, progress }: CopyOptions,
): Promise<readonly CopiedTable[]> {
  const tables = await pairTables(source, target, location, localTables);
  const names = tables.map((table) => quote(table.target));
  if (names.length === 0) return [];
  await target.execute(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  await requireEmpty(target, tables, location);
  // SQLite's times are UTC.
  await target.execute(`SET LOCAL TimeZone = 'UTC'`);
  const rules = await target.query<{ suspend: string; restore: string }>(selectRules, [names]);
  for (const { suspend } of rules) await target.execute(suspend);
  await target.execute('SET CONSTRAINTS ALL DEFERRED');
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    const report = progress.bind(undefined, table.source);
    const rows = await copyTable(source, target, table, report).catch((error: unknown) => {
      throw toCommandError(error, table.source);
    });
    copied.push({ table: table.source, rows });
  }
  // Checks every foreign key. A table cannot be altered before.
  await target.execute('SET CONSTRAINTS ALL IMMEDIATE');
  for (const { restore } of rules) await target.execute(restore);
  for (const table of tables) await requireSameRows(source, target, table);
  // Last, because sequences are not transactional.
  for (const table of tables) await advanceSequences(source, target, table);
  return copied;
}

async function requireEmpty(
  target: PostgresTransaction,
  tables: readonly TablePair[],
  location: string,
): Promise<void> {
  for (const table of tables) {
    const rows = await target.query(`SELECT FROM ${quote(table.target)} LIMIT 1`);
    if (rows.length > 0)
      throw new CommandError(
        `The table ${table.target} of ${location} has rows. Delete them, or copy to an empty database.`,
      );
  }
}

/**
 * The statements that suspend and restore foreign keys, because a row may refer to a later one, and triggers, because
 * what they wrote in SQLite is copied too.
 */
const selectRules = `
  SELECT format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', conrelid::regclass, conname) AS suspend,
    format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', conrelid::regclass, conname) AS restore
  FROM pg_constraint
  WHERE contype = 'f' AND NOT condeferrable AND conparentid = 0 AND conrelid = ANY ($1::text[]::regclass[])
  UNION ALL
  SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname),
    format('ALTER TABLE %s ENABLE TRIGGER %I', tgrelid::regclass, tgname)
  FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'O' AND tgrelid = ANY ($1::text[]::regclass[])`;

/** Lets sequences continue after the greatest id that SQLite has assigned, also if its row was deleted since. */
async function advanceSequences(
  source: Database.Database,
  target: PostgresTransaction,
  table: TablePair,
): Promise<void> {
  const last = lastIdOf(source, table.source);
  for (const { target: name, sequence } of table.columns) {
    if (sequence === null) continue;
    await target.query(
      `SELECT setval($1::text::regclass, last) FROM ${sequence},
        (SELECT greatest(max(${quote(name)}), $2::bigint) AS last FROM ${quote(table.target)}) AS ids
      WHERE last >= last_value`,
      [sequence, last],
    );
  }
}

/** The greatest id of a table with AUTOINCREMENT. SQLite stores these in a table, which exists if one of them does. */
function lastIdOf(source: Database.Database, table: string): unknown {
  const hasIds = source.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'`).get() !== undefined;
  const select = 'SELECT seq FROM sqlite_sequence WHERE name = ?';
  return hasIds ? source.prepare(select).pluck().safeIntegers().get(table) : undefined;
}

/** Adds what failed, and in which table, to an error that the operator can act on. Defects are returned unchanged. */
function toCommandError(error: unknown, table?: string): unknown {
  const isOutage = error instanceof ApiError;
  if (!isOutage && !isSqliteError(error) && !(error instanceof DatabaseError)) return error;
  const reason = reasonOf(isOutage ? error.cause : error);
  // A connection may break during the commit.
  const result = isOutage ? 'It copies everything or nothing. Run it again.' : 'Nothing was copied.';
  const place = table === undefined ? '' : ` in the table ${table}`;
  return new CommandError(`The copy failed${place}: ${reason}. ${result}`, { cause: error });
}
