import type { WriteMetrics } from '../database/group-commit.js';
import type { PostgresDatabase } from '../database/postgres/database.js';
import type { SqliteDatabase } from '../database/sqlite/database.js';
import type { Clock } from '../lib/clock.js';
import type { MeasureStore } from '../observability/metrics.js';
import type { ContractDocument } from '../openapi/document.js';
import type { AnyHandlers } from '../openapi/types.js';

/** The stores of an application, which its commands use too. */
export interface ApplicationStores {
  /** Resolves when pending writes have settled. */
  close(): Promise<void>;
}

/** The stores of an application in SQLite, the default engine. */
export interface SqliteEngine<Stores> {
  createStores(db: SqliteDatabase, metrics?: WriteMetrics): Stores;
}

/** The stores of an application in PostgreSQL, which `DATABASE_URL` selects. */
export interface PostgresEngine<Stores> {
  /** It may load its modules on demand, because loading them delays the start. */
  createStores(db: PostgresDatabase, metrics?: WriteMetrics): Promise<Stores>;
  /** SQL that runs at every start, after the migrations. */
  readonly startSql?: string;
}

/** The main table of an application, of which commands report the number of rows, and what they call a row. */
export interface Records {
  readonly table: string;
  readonly one: string;
  readonly many: string;
}

/** What an application is created from. */
export interface ApplicationDependencies<Stores> {
  readonly stores: Stores;
  /** Measures the named methods of a store under a label, if metrics are enabled. */
  readonly measureStore: MeasureStore;
  readonly clock: Clock;
  readonly document: ContractDocument;
}

/** The handlers and the tasks of an application. */
export interface Application<ApplicationHandlers = AnyHandlers> {
  /** One handler for each operation that declares a successful response. */
  readonly handlers: ApplicationHandlers;
  /** Reads a little, to find out whether the stores respond; rejects if they do not. */
  readonly check?: () => Promise<unknown>;
  /** Runs every second, such as the deletion of what has expired. */
  readonly maintain?: () => Promise<unknown>;
}

/** The definition of a service: its contract, its stores and its application. */
export interface ServiceDefinition<Stores extends ApplicationStores = ApplicationStores> {
  /** Lower-case letters, digits and hyphens. Settings, metrics, Redis keys and the database file are named after it. */
  readonly name: string;
  /** The OpenAPI document. */
  readonly contract: URL;
  /** Where the build stores that it has checked the contract; without it, each start checks the contract. */
  readonly checkedContract?: URL;
  readonly stores: {
    /** The folder with numbered SQL files in `sqlite/` and `postgres/`. */
    readonly migrations: URL;
    readonly records: Records;
    readonly sqlite: SqliteEngine<Stores>;
    readonly postgres: PostgresEngine<Stores>;
  };
  create(dependencies: ApplicationDependencies<Stores>): Application;
}
