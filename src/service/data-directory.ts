import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import { fileNames } from '../database/data-files.js';
import { type MigrationResult, readMigrations } from '../database/migrations.js';
import { OutageLog } from '../database/outage-log.js';
import type { SqliteDatabase } from '../database/sqlite/database.js';
import { openSqliteDatabase } from '../database/sqlite/open-database.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import type { Clock } from '../lib/clock.js';
import { SqlitePetStore } from '../pets/sqlite/pet-store.js';
import { SqlitePetTransfer } from '../pets/sqlite/pet-transfer.js';
import { CounterFile } from '../rate-limits/file/counter-file.js';
import { ResourceStack } from './resource-stack.js';

/**
 * The kind of process that opens the stores. A `server` never waits for locks on its event loop, and is the only one on
 * its data directory; a `command` may wait, also while a server runs.
 */
export type Role = 'server' | 'command';

export interface StoreOptions {
  readonly clock: Clock;
  /** Receives outages and internal errors. */
  readonly report: (event: unknown) => void;
  /** Called with the number of pets of each commit. */
  readonly onBatch?: ((size: number) => void) | undefined;
  /** Called with the time between a commit of pets and their listing, in seconds. */
  readonly onListed?: (seconds: number) => void;
}

/** How long a command waits for a lock of the server. A server never waits on its event loop. */
const commandLockTimeoutMs = 10_000;

/** The SQL files of the embedded database. */
export const sqliteMigrations = new URL('../migrations/sqlite/', import.meta.url);

/** The files in a data directory. Only those that are needed are opened, and only one server may open any. */
export class DataDirectory {
  /** The migrations of the database, if it is open. */
  migrations: readonly MigrationResult[] = [];
  private readonly opened = new ResourceStack();
  private readonly files: { check(): void }[] = [];
  private lock: ReturnType<typeof takeServerLock> | undefined;

  constructor(
    readonly location: string,
    private readonly role: Role,
    private readonly options: StoreOptions,
  ) {}

  /** @throws StartError */
  async openPetAndKeyStores() {
    const db = await this.openDatabase();
    const pets = this.opened.add(new SqlitePetStore(db, this.options.onBatch));
    return { pets, transfer: new SqlitePetTransfer(db), keys: new SqliteKeyStore(db) };
  }

  /** @throws StartError */
  openCounterFile(): CounterFile {
    this.requireLock();
    const { clock, report } = this.options;
    return this.add(new CounterFile(this.location, clock, report));
  }

  check(): void {
    for (const file of this.files) file.check();
  }

  /** Resolves when pending writes have settled and the files are closed. */
  close(): Promise<void> {
    return this.opened.close();
  }

  private async openDatabase(): Promise<SqliteDatabase> {
    if (this.role === 'server') this.requireLock();
    const { clock, report } = this.options;
    const db = await openSqliteDatabase({
      directory: this.location,
      fileName: fileNames.petstore,
      migrations: await readMigrations(sqliteMigrations),
      lockTimeoutMs: this.role === 'server' ? 0 : commandLockTimeoutMs,
      outages: new OutageLog(fileNames.petstore, clock, report),
    });
    this.migrations = db.migrations;
    return this.add(db);
  }

  private requireLock(): void {
    this.lock ??= this.opened.add(takeServerLock(this.location));
  }

  private add<File extends { check(): void; close(): unknown }>(file: File): File {
    this.files.push(file);
    return this.opened.add(file);
  }
}
