import { CommandError } from '@contract-server/core/lib/errors.js';
import type Database from 'better-sqlite3';
import type { Queryable } from '../queryable.js';
import { quote, type TablePair } from './table-pairs.js';

/**
 * Compares the number of rows, the sums of integers and the bytes of texts of a table in both engines.
 *
 * @throws CommandError if one differs.
 */
export async function requireSameRows(source: Database.Database, target: Queryable, table: TablePair): Promise<void> {
  const expected = source.prepare<[], object>(sumsOf(table, 'source')).safeIntegers().get();
  const [found] = await target.query<object>(sumsOf(table, 'target'));
  // The engines have different types for sums.
  const textOf = (sums: object = {}) => Object.values(sums).map(String).join(', ');
  if (textOf(expected) === textOf(found)) return;
  const difference = `${textOf(expected)} in SQLite, ${textOf(found)} in PostgreSQL`;
  throw new CommandError(`The copy of the table ${table.source} differs: ${difference}. Nothing was copied.`);
}

/** The same statement for both engines. It sums the halves of integers, because SQLite's sums have 64 bits. */
function sumsOf(table: TablePair, side: 'source' | 'target'): string {
  const sums = table.columns.flatMap((column) => {
    const name = quote(column[side]);
    const integer = `CAST(${name} AS bigint)`;
    if (/^(smallint|integer|bigint)$/.test(column.type))
      return [`sum(${integer} >> 32)`, `sum(${integer} & 4294967295)`];
    return /^(text|character varying|bytea)$/.test(column.type) ? [`sum(octet_length(${name}))`] : [];
  });
  const values = ['count(*)', ...sums].map((value, index) => `${value} AS value${String(index)}`);
  return `SELECT ${values.join(', ')} FROM ${quote(table[side])}`;
}
