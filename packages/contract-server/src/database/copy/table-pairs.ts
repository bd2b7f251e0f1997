import { CommandError } from '@contract-server/core/lib/errors.js';
import type Database from 'better-sqlite3';
import { migrationTable, previewTable } from '../migrations.js';
import type { Queryable } from '../queryable.js';

/** A table of SQLite and that of PostgreSQL. Their names may differ in case, because SQLite ignores case. */
export interface TablePair {
  readonly source: string;
  readonly target: string;
  readonly columns: readonly ColumnPair[];
  readonly hasRowid: boolean;
}

export interface ColumnPair {
  readonly source: string;
  readonly target: string;
  /** The type in PostgreSQL, without its length. */
  readonly type: string;
  /** The sequence that assigns the values, in SQL. */
  readonly sequence: string | null;
}

interface SourceTable {
  readonly name: string;
  readonly isWithoutRowid: 0 | 1;
}

/** Without the shadow tables of virtual tables, and without tables of SQLite itself. */
const selectSourceTables = `
  SELECT name, wr AS isWithoutRowid FROM pragma_table_list
  WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  ORDER BY name`;
/** Without generated columns. */
const selectSourceColumns = 'SELECT name FROM pragma_table_info(?) ORDER BY cid';

interface TargetColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly sequence: string | null;
}

/** Without generated columns. A column may own its sequence, or only have it as its default. */
const selectTargetColumns = String.raw`
  SELECT relname AS table, attname AS name, format_type(atttypid, -1) AS type,
    coalesce(pg_get_serial_sequence(quote_ident(relname), attname),
      substring(pg_get_expr(adbin, adrelid) FROM '^nextval\(''(.+)''::regclass\)$')) AS sequence
  FROM pg_class
    JOIN pg_attribute ON attrelid = pg_class.oid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relkind IN ('r', 'p') AND relnamespace <> 'pg_catalog'::regnamespace AND pg_table_is_visible(pg_class.oid)
    AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;

/**
 * Finds the tables of SQLite in PostgreSQL, except local ones.
 *
 * @throws CommandError if a table or a column has no counterpart.
 */
export async function pairTables(
  source: Database.Database,
  target: Queryable,
  location: string,
  localTables: readonly string[],
): Promise<readonly TablePair[]> {
  const ignored = new Set([migrationTable, previewTable, ...localTables]);
  const found = await target.query<TargetColumn>(selectTargetColumns);
  const tables = source.prepare<[], SourceTable>(selectSourceTables).all();
  const columnsOf = source.prepare<[string], string>(selectSourceColumns).pluck();
  return tables
    .filter(({ name }) => !ignored.has(name))
    .map(({ name, isWithoutRowid }) => {
      const columns = found.filter(({ table }) => isSameName(table, name));
      const [first] = columns;
      if (first === undefined) throw new CommandError(describeMissing(`table ${name}`, location));
      return {
        source: name,
        target: first.table,
        columns: columnsOf.all(name).map((column) => pairColumn(name, column, columns, location)),
        hasRowid: isWithoutRowid === 0,
      };
    });
}

function pairColumn(table: string, source: string, columns: readonly TargetColumn[], location: string): ColumnPair {
  const found = columns.find(({ name }) => isSameName(name, source));
  if (found === undefined) throw new CommandError(describeMissing(`column ${table}.${source}`, location));
  return { source, target: found.name, type: found.type, sequence: found.sequence };
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function describeMissing(what: string, location: string): string {
  return `The ${what} of SQLite does not exist in ${location}. Add it in a migration; a table can be in \`localTables\`.`;
}

/** An identifier in SQL of both engines. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
