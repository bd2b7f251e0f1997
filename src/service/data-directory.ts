import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import type { GroupCommitOptions } from '../database/group-commit.js';
import { type Migration, type MigrationResult, migrationResultsOf, readMigrations } from '../database/migrations.js';
import { OutageLog } from '../database/outage-log.js';
import { fileNames } from '../database/sqlite/connection.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import { StoreDatabase } from '../database/sqlite/store-database.js';
import type { Clock } from '../lib/clock.js';
import { SqlitePetArchive } from '../pets/sqlite/pet-archive.js';
import { SqlitePetStore } from '../pets/sqlite/pet-store.js';
import { SqliteRateLimitJournal } from '../rate-limits/sqlite/journal.js';
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
  /** Returns a function to be called with the number of writes of each transaction; `undefined` without metrics. */
  readonly batchSizeObserver?: (store: 'pets' | 'limits') => ((size: number) => void) | undefined;
  /** Called with the time between a commit of pets and their listing, in seconds. */
  readonly onListed?: (seconds: number) => void;
}

/** How long a command waits for a lock of the server. A server never waits on its event loop. */
const commandLockTimeoutMs = 10_000;

/** The counters are also in memory, so a server can start without their file. */
const databases = {
  petstore: { synchronous: 'FULL', isOptional: false },
  limits: { synchronous: 'NORMAL', isOptional: true },
} as const;

/** The databases in a data directory. Only those that are needed are opened, and only one server may open any. */
export class DataDirectory {
  /** The migrations of the open databases. */
  readonly migrations: MigrationResult[] = [];
  private readonly opened = new ResourceStack();
  private readonly databases: StoreDatabase[] = [];
  private lock: ReturnType<typeof takeServerLock> | undefined;

  constructor(
    readonly location: string,
    private readonly role: Role,
    private readonly options: StoreOptions,
  ) {}

  /** @throws StartError */
  async openPetAndKeyStores(groupCommit: GroupCommitOptions) {
    const db = await this.open('petstore');
    const pets = this.opened.add(new SqlitePetStore(db, groupCommit));
    return { pets, archive: new SqlitePetArchive(db), keys: new SqliteKeyStore(db) };
  }

  /** @throws StartError */
  async openRateLimitJournal(): Promise<SqliteRateLimitJournal> {
    return new SqliteRateLimitJournal(await this.open('limits'));
  }

  check(): void {
    for (const db of this.databases) db.check();
  }

  /** Resolves when pending writes have settled and the databases are closed. */
  close(): Promise<void> {
    return this.opened.close();
  }

  private async open(name: keyof typeof databases): Promise<StoreDatabase> {
    const isServer = this.role === 'server';
    if (isServer) this.lock ??= this.opened.add(takeServerLock(this.location));
    const fileName = fileNames[name];
    const migrations = await readMigrations('sqlite', name);
    const applied = new Set<Migration>();
    const options = {
      directory: this.location,
      fileName,
      migrations,
      lockTimeoutMs: isServer ? 0 : commandLockTimeoutMs,
      onMigration: (migration: Migration) => void applied.add(migration),
      readsOnFullDisk: isServer,
      ...databases[name],
    };
    const outages = new OutageLog(fileName, this.options.clock, this.options.report);
    const db = this.opened.add(new StoreDatabase(options, outages));
    this.databases.push(db);
    this.migrations.push(...migrationResultsOf(name, migrations, applied));
    return db;
  }
}
