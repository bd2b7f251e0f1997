import type Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

/** How many texts of statements stay prepared. */
const preparedMax = 500;

/** The statements of a transaction. They run at once: the transaction ends when its function returns. */
export class SqliteTransaction {
  private readonly prepared = new LRUCache<string, Database.Statement<[object]>>({ max: preparedMax });

  /** @internal */
  constructor(private readonly connection: Database.Database) {}

  /** As `Queryable` says, without a promise. */
  query<Row extends object>(sql: string, values?: readonly unknown[]): Row[] {
    const statement = this.prepare(sql);
    if (statement.reader) return statement.all(parametersOf(values)).map((row) => toExact(row as Row));
    statement.run(parametersOf(values));
    return [];
  }

  /** As `Queryable` says, without a promise. */
  execute(sql: string, values?: readonly unknown[]): number {
    return this.prepare(sql).run(parametersOf(values)).changes;
  }

  /** @internal */
  isReadOnly(sql: string): boolean {
    return this.prepare(sql).readonly;
  }

  private prepare(sql: string): Database.Statement<[object]> {
    const prepared = this.prepared.get(sql) ?? this.connection.prepare<[object]>(sql).safeIntegers(true);
    this.prepared.set(sql, prepared);
    return prepared;
  }
}

/** To SQLite, `$1` is a parameter with the name `1`. */
function parametersOf(values: readonly unknown[] = []): object {
  return Object.fromEntries(values.map((value, index) => [index + 1, value]));
}

/** Makes integers numbers, except for those beyond 2^53 − 1. */
function toExact<Row extends object>(row: Row): Row {
  const columns = Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
  ]);
  return Object.fromEntries(columns) as Row;
}
