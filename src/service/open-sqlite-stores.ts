import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import { type Migration, type MigrationOutcome, outcomesOf, readMigrations } from '../database/migrations.js';
import { OutageLog } from '../database/outage-log.js';
import { fileNames } from '../database/sqlite/connection.js';
import { ServerLock } from '../database/sqlite/server-lock.js';
import { StoreDatabase } from '../database/sqlite/store-database.js';
import type { Role, StoreOptions } from '../database/store-options.js';
import { SqlitePetArchive } from '../pets/sqlite/pet-archive.js';
import { SqlitePetStore } from '../pets/sqlite/pet-store.js';
import { SqliteRateLimitJournal } from '../rate-limits/sqlite/journal.js';
import { ResourceStack } from './resource-stack.js';

/**
 * How long a command may wait for a lock that the server holds, in milliseconds. A server never waits on its event
 * loop.
 */
const commandLockTimeoutMs = 10_000;

/** The counters are also in memory, so a server can start without their file. */
const databases = {
  petstore: { synchronous: 'FULL', isOptional: false },
  limits: { synchronous: 'NORMAL', isOptional: true },
} as const;

/** What is kept in a data directory. Only what is asked for is opened, and one server at a time has any of it open. */
export class DataDirectory {
  /** What the schemas of the open databases consist of. */
  readonly migrations: MigrationOutcome[] = [];
  private readonly opened = new ResourceStack();
  private readonly databases: StoreDatabase[] = [];
  private lock: ServerLock | undefined;

  constructor(
    readonly path: string,
    private readonly role: Role,
    private readonly watch: StoreOptions,
  ) {}

  /** Opens animals and keys. @throws StartError */
  async openCatalogue() {
    const db = await this.open('petstore');
    const pets = this.opened.add(new SqlitePetStore(db, this.watch.onGroup));
    return { pets, archive: new SqlitePetArchive(db), keys: new SqliteKeyStore(db) };
  }

  /** Opens the counters. @throws StartError */
  async openLimits(): Promise<SqliteRateLimitJournal> {
    return new SqliteRateLimitJournal(await this.open('limits'));
  }

  /** Checks the files. To be called every second by a server. */
  check(): void {
    for (const db of this.databases) db.check();
  }

  /** Lets what is being written settle, then closes what is open. */
  close(): Promise<void> {
    return this.opened.close();
  }

  private async open(name: keyof typeof databases): Promise<StoreDatabase> {
    if (this.role === 'server') this.lock ??= this.opened.add(new ServerLock(this.path));
    const fileName = fileNames[name];
    const migrations = await readMigrations('sqlite', name);
    const isServer = this.role === 'server';
    const lockTimeoutMs = isServer ? 0 : commandLockTimeoutMs;
    const outages = new OutageLog(fileName, this.watch.clock, this.watch.report);
    const applied = new Set<Migration>();
    const onMigration = (migration: Migration) => void applied.add(migration);
    const place = { directory: this.path, fileName };
    const options = { ...place, migrations, lockTimeoutMs, onMigration, readsOnFullDisk: isServer, ...databases[name] };
    const db = this.opened.add(new StoreDatabase(options, outages));
    this.databases.push(db);
    this.migrations.push(...outcomesOf(name, migrations, applied));
    return db;
  }
}
