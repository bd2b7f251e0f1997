import { randomUUID } from 'node:crypto';
import type { Json } from 'contract-server';
import type { PostgresDatabase } from 'contract-server/postgres';
import { DatabaseError } from 'pg';
import { columnNames } from '../columns.js';
import { DuplicateIdsError, type ImportedPet, type Pet, type PetImport, type PetTransfer } from '../pet-store.js';
import { arrayParameters, columnArrays, columnTypes } from './column-sql.js';
import { exportPets, type PetRow, reserveIds } from './pet-store.js';

const pageSize = 1000;

export class PostgresPetTransfer implements PetTransfer {
  constructor(private readonly db: PostgresDatabase) {}

  async *exportAll(): AsyncGenerator<Json<Pet>> {
    let lastId: number | undefined = 0;
    while (lastId !== undefined) {
      const rows: PetRow[] = await this.db.query<PetRow>(exportPets, [lastId, pageSize]);
      for (const { json } of rows) yield json;
      lastId = rows.at(-1)?.id;
    }
  }

  startImport(): PetImport {
    return new PostgresPetImport(this.db);
  }
}

/** Rows of a table that all imports share. It holds no lock, and no session: a pooler may share those. */
class PostgresPetImport implements PetImport {
  private readonly importId = randomUUID();
  private staged = 0;
  private keepsIds = false;

  constructor(private readonly db: PostgresDatabase) {}

  async add(pets: readonly ImportedPet[]): Promise<void> {
    if (this.staged === 0) await this.db.execute(deleteAbandoned);
    await this.db.execute(stagePets, [this.importId, this.staged, pets.map(({ id }) => id), ...columnArrays(pets)]);
    this.staged += pets.length;
    this.keepsIds ||= pets.some(({ id }) => id !== undefined);
  }

  async commit(): Promise<number> {
    const { db, importId, staged } = this;
    if (staged === 0) return 0;
    await (this.keepsIds ? this.moveWithIds() : db.execute(movePets, [importId, staged]));
    // The pets are imported. If this fails, the rows are deleted as abandoned.
    await db.execute(unstage, [importId]).catch(() => undefined);
    return staged;
  }

  private async moveWithIds(): Promise<void> {
    // Before the move, because the ids that it reserves stay unused if it fails.
    await this.requireNewIds();
    try {
      await this.db.execute(movePetsWithIds, [this.importId]);
    } catch (error) {
      // Another process has created one of the pets since.
      if (error instanceof DatabaseError && error.constraint === 'pets_pkey') await this.requireNewIds(error);
      throw error;
    }
  }

  private async requireNewIds(cause?: DatabaseError): Promise<void> {
    const rows = await this.db.query<{ id: number }>(selectDuplicateIds, [this.importId]);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) throw new DuplicateIdsError(ids, cause);
  }
}

const deleteAbandoned = {
  name: 'delete_abandoned_imports',
  text: `DELETE FROM staged_pets WHERE staged_at < now() - interval '1 day'`,
};
const stagePets = {
  name: 'stage_pets',
  text: `
  INSERT INTO staged_pets (import_id, ordinal, id, ${columnNames})
  SELECT $1::uuid, $2::bigint + ordinal, id, ${columnNames}
  FROM unnest(${arrayParameters(['bigint', ...columnTypes], 3)}) WITH ORDINALITY AS given (id, ${columnNames}, ordinal)`,
};
const unstage = { name: 'unstage_pets', text: 'DELETE FROM staged_pets WHERE import_id = $1' };
const movePets = {
  name: 'move_pets',
  text: `${reserveIds('$2::bigint')}
  INSERT INTO pets (id, ${columnNames})
  SELECT last_id_before + ordinal, ${columnNames} FROM reserved, staged_pets WHERE import_id = $1`,
};
/** A pet between others gets the transaction id of its predecessor, so that these ids keep the order of the pets. */
const movePetsWithIds = {
  name: 'move_pets_with_ids',
  text: `
  WITH reserved AS MATERIALIZED (SELECT reserve_imported_pet_ids($1) AS last_id_before)
  INSERT INTO pets (id, ${columnNames}, created_in)
  SELECT id, ${columnNames},
    CASE WHEN id > last_id_before THEN pg_current_xact_id() ELSE transaction_before_pet(id) END
  FROM reserved, staged_pets WHERE import_id = $1`,
};
const selectDuplicateIds = {
  name: 'select_duplicate_ids',
  text: `
  SELECT id FROM staged_pets WHERE import_id = $1
  GROUP BY id HAVING count(*) > 1 OR EXISTS (SELECT FROM pets WHERE pets.id = staged_pets.id) ORDER BY id`,
};
