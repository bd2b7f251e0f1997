import type { Json } from 'contract-server';
import { isSqliteError, type SqliteDatabase } from 'contract-server/sqlite';
import { columnNames, valuesOf } from '../columns.js';
import { DuplicateIdsError, type ImportedPet, type Pet, type PetImport, type PetTransfer } from '../pet-store.js';
import { columnParameters } from './column-sql.js';
import { findLastId, listSql } from './pet-store.js';

const pageSize = 1000;

export class SqlitePetTransfer implements PetTransfer {
  constructor(private readonly db: SqliteDatabase) {}

  async *exportAll(): AsyncGenerator<Json<Pet>> {
    const page = this.db.prepare<[number, number], Json<Pet>>(listSql).pluck();
    let lastId: number | undefined = 0;
    while (lastId !== undefined) {
      const afterId: number = lastId;
      const pets = await this.db.run(() => page.all(afterId, pageSize));
      yield* pets;
      lastId = findLastId(pets);
    }
  }

  startImport(): PetImport {
    return new SqlitePetImport(this.db);
  }
}

/** Numbers the staging tables, so that concurrent imports on one connection use different ones. */
let tables = 0;

/** A temporary table, in a private file that SQLite deletes even if the process is killed. It holds no lock. */
class SqlitePetImport implements PetImport {
  private readonly name = `staged_${String((tables += 1))}`;
  private readonly table = `temp.${this.name}`;
  private addAll: ((pets: readonly ImportedPet[]) => void) | undefined;

  constructor(private readonly db: SqliteDatabase) {}

  add(pets: readonly ImportedPet[]): Promise<void> {
    return this.db.run(() => (this.addAll ??= this.createTable())(pets));
  }

  async commit(): Promise<number> {
    if (this.addAll === undefined) return 0;
    const move = this.db.prepare(
      `INSERT INTO pets (id, ${columnNames}) SELECT id, ${columnNames} FROM ${this.table} ORDER BY rowid`,
    );
    try {
      const { changes } = await this.db.transaction(() => move.run());
      this.cleanUp();
      return changes;
    } catch (error) {
      const isTaken = isSqliteError(error) && error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
      throw isTaken ? new DuplicateIdsError(this.duplicateIds(), error) : error;
    }
  }

  private duplicateIds(): number[] {
    const select = this.db.prepare<[], number>(`
      SELECT id FROM ${this.table} GROUP BY id
        HAVING count(*) > 1 OR EXISTS (SELECT 1 FROM pets WHERE pets.id = ${this.name}.id)
      ORDER BY id`);
    return select.pluck().all();
  }

  private cleanUp(): void {
    try {
      this.db.connection.exec(`DROP TABLE ${this.table}`);
      // Otherwise the next commit of a server would checkpoint the import and block its event loop.
      this.db.connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      // The pets are imported, so this must not fail the import. SQLite deletes the table with the connection.
      if (!isSqliteError(error)) throw error;
    }
  }

  private createTable(): (pets: readonly ImportedPet[]) => void {
    this.db.connection.exec(`
      PRAGMA temp_store = FILE;
      CREATE TEMP TABLE ${this.name} AS SELECT id, ${columnNames} FROM pets LIMIT 0;
    `);
    const insert = this.db.prepare(`INSERT INTO ${this.table} VALUES (?, ${columnParameters})`);
    return this.db.connection.transaction((pets: readonly ImportedPet[]) => {
      for (const pet of pets) insert.run(pet.id ?? null, ...valuesOf(pet));
    });
  }
}
