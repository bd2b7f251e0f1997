import type Database from 'better-sqlite3';
import type { Int64 } from '../../contract/int64.js';
import type { Json, NewPet, Pet } from '../../contract/types.js';
import type { PetArchive, PetStaging } from '../../domain/pets.js';
import { listSql } from './pet-store.js';
import { withRetry } from './retry.js';

const pageSize = 1000;

export class SqlitePetArchive implements PetArchive {
  constructor(private readonly db: Database.Database) {}

  async *exportAll(): AsyncGenerator<Json<Pet>> {
    const page = this.db.prepare<[number, number], [id: number, json: Json<Pet>]>(listSql).raw();
    let lastId: number | undefined = 0;
    while (lastId !== undefined) {
      const afterId: number = lastId;
      const rows = await withRetry(() => page.all(afterId, pageSize));
      for (const [, json] of rows) yield json;
      lastId = rows.at(-1)?.[0];
    }
  }

  stage(): PetStaging {
    return new SqlitePetStaging(this.db);
  }
}

/** A temporary table: a private file that SQLite deletes by itself, also when the process is killed. It locks nobody out. */
class SqlitePetStaging implements PetStaging {
  private readonly addAll: (pets: readonly NewPet[]) => void;

  constructor(private readonly db: Database.Database) {
    db.exec(`
      PRAGMA temp_store = FILE;
      DROP TABLE IF EXISTS temp.staged;
      CREATE TEMP TABLE staged (name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL) STRICT;
    `);
    const insert = db.prepare<[string, Int64, string]>('INSERT INTO temp.staged VALUES (?, ?, ?)');
    this.addAll = db.transaction((pets: readonly NewPet[]) => {
      for (const { name, categoryId, status } of pets) insert.run(name, categoryId, status);
    });
  }

  add(pets: readonly NewPet[]): void {
    this.addAll(pets);
  }

  async commit(): Promise<number> {
    const move = this.db.prepare('INSERT INTO main.pets (name, category_id, status) SELECT * FROM temp.staged ORDER BY rowid');
    const { changes } = await withRetry(() => this.db.transaction(() => move.run()).immediate());
    this.db.exec('DROP TABLE temp.staged');
    // Whoever commits next would have to move the import out of the write-ahead log: better we than a server's event loop.
    this.db.pragma('wal_checkpoint(PASSIVE)');
    return changes;
  }
}
