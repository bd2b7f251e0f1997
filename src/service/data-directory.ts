import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import { fileNames } from '../database/data-files.js';
import type { GroupCommitOptions } from '../database/group-commit.js';
import { type Migration, type MigrationResult, migrationResultsOf, readMigrations } from '../database/migrations.js';
import { OutageLog } from '../database/outage-log.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import { StoreDatabase } from '../database/sqlite/store-database.js';
import type { Clock } from '../lib/clock.js';
import { SqlitePetArchive } from '../pets/sqlite/pet-archive.js';
import { SqlitePetStore } from '../pets/sqlite/pet-store.js';
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
  /** Returns a function to be called with the size of each batch; `undefined` without metrics. */
  readonly batchSizeObserver?: (store: 'pets' | 'limits') => ((size: number) => void) | undefined;
  /** Called with the time between a commit of pets and their listing, in seconds. */
  readonly onListed?: (seconds: number) => void;
}

/** How long a command waits for a lock of the server. A server never waits on its event loop. */
const commandLockTimeoutMs = 10_000;

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
  async openPetAndKeyStores(groupCommit: GroupCommitOptions) {
    const db = await this.openDatabase();
    const pets = this.opened.add(new SqlitePetStore(db, groupCommit));
    return { pets, archive: new SqlitePetArchive(db), keys: new SqliteKeyStore(db) };
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

  private async openDatabase(): Promise<StoreDatabase> {
    const isServer = this.role === 'server';
    if (isServer) this.requireLock();
    const fileName = fileNames.petstore;
    const migrations = await readMigrations('sqlite');
    const applied = new Set<Migration>();
    const options = {
      directory: this.location,
      fileName,
      migrations,
      lockTimeoutMs: isServer ? 0 : commandLockTimeoutMs,
      onMigration: (migration: Migration) => void applied.add(migration),
      readsOnFullDisk: isServer,
    };
    const outages = new OutageLog(fileName, this.options.clock, this.options.report);
    const db = this.add(new StoreDatabase(options, outages));
    this.migrations = migrationResultsOf(migrations, applied);
    return db;
  }

  private requireLock(): void {
    this.lock ??= this.opened.add(takeServerLock(this.location));
  }

  private add<File extends { check(): void; close(): unknown }>(file: File): File {
    this.files.push(file);
    return this.opened.add(file);
  }
}
