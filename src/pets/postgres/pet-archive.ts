import { DatabaseError } from 'pg';
import type { PostgresDatabase, PostgresSession } from '../../database/postgres/database.js';
import type { Json } from '../../json/exact-json.js';
import type { Pet } from '../pet.js';
import { DuplicateIdsError, type ImportedPet, type PetArchive, type PetStaging } from '../pet-store.js';
import { exportPets, reserveIds } from './pet-store.js';

const pageSize = 1000;

export class PostgresPetArchive implements PetArchive {
  constructor(private readonly db: PostgresDatabase) {}

  async *exportAll(): AsyncGenerator<Json<Pet>> {
    let lastId: number | undefined = 0;
    while (lastId !== undefined) {
      const rows: [number, Json<Pet>][] = await this.db.read<[number, Json<Pet>]>(exportPets, [lastId, pageSize]);
      for (const [, json] of rows) yield json;
      lastId = rows.at(-1)?.[0];
    }
  }

  stage(): PetStaging {
    return new PostgresPetStaging(this.db);
  }
}

/** A temporary table on a reserved connection, which PostgreSQL drops with it. It holds no lock. */
class PostgresPetStaging implements PetStaging {
  private session: Promise<PostgresSession> | undefined;
  private staged = 0;
  private keepsIds = false;

  constructor(private readonly db: PostgresDatabase) {}

  async add(pets: readonly ImportedPet[]): Promise<void> {
    const session = await (this.session ??= this.open());
    await session.run(stagePets, [
      this.staged,
      pets.map(({ id }) => id),
      pets.map(({ name }) => name),
      pets.map(({ categoryId }) => categoryId),
      pets.map(({ status }) => status),
    ]);
    this.staged += pets.length;
    this.keepsIds ||= pets.some(({ id }) => id !== undefined);
  }

  async commit(): Promise<number> {
    if (this.session === undefined || this.staged === 0) return 0;
    const session = await this.session;
    try {
      await session.run(begin);
      if (this.keepsIds) await session.run(lockPets);
      await (this.keepsIds ? session.run(movePetsWithIds) : session.run(movePets, [this.staged]));
      await session.run(commit);
    } catch (error) {
      await session.run(rollback);
      if (!(error instanceof DatabaseError && error.constraint === 'pets_pkey')) throw error;
      throw new DuplicateIdsError(
        (await session.run<[number]>(selectDuplicateIds)).map(([id]) => id),
        error,
      );
    }
    session.end();
    return this.staged;
  }

  private async open(): Promise<PostgresSession> {
    const session = await this.db.session();
    await session.run(checkConnection);
    await session.run(createStagingTable);
    return session;
  }
}

/** Cancels the import if the client disconnects. PostgreSQL supports this since version 14. */
const checkConnection = {
  name: 'check_connection',
  text: `SELECT set_config(name, '500ms', false) FROM pg_settings WHERE name = 'client_connection_check_interval'`,
};
const createStagingTable = {
  name: 'create_staging_table',
  text:
    'CREATE TEMP TABLE staged (ordinal bigint NOT NULL, id bigint, name text NOT NULL, category_id bigint NOT NULL, ' +
    'status text NOT NULL)',
};
const stagePets = {
  name: 'stage_pets',
  text: `
  INSERT INTO staged SELECT $1::bigint + ordinal, id, name, category_id, status
  FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[]) WITH ORDINALITY AS given (id, name, category_id, status, ordinal)`,
};
const begin = { name: 'begin', text: 'BEGIN' };
const commit = { name: 'commit', text: 'COMMIT' };
const rollback = { name: 'rollback', text: 'ROLLBACK' };
const movePets = {
  name: 'move_pets',
  text: `${reserveIds('$1::bigint')}
  INSERT INTO pets (id, name, category_id, status) SELECT last_id_before + ordinal, name, category_id, status FROM ids, staged`,
};
/** Waits for the creations that have reserved ids, and makes others wait, so that they get greater ids. */
const lockPets = { name: 'lock_pets', text: 'LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE' };
// Sequences are not transactional: it is advanced only after the pets were inserted. A pet between others is listed at
// once, so that the pets after it remain listed.
const movePetsWithIds = {
  name: 'move_pets_with_ids',
  text: `
  WITH moved AS (
    INSERT INTO pets (id, name, category_id, status, created_in)
    SELECT id, name, category_id, status, CASE WHEN id > last_value THEN pg_current_xact_id() ELSE '0' END FROM staged, pet_ids
    RETURNING id
  )
  SELECT setval('pet_ids', greatest(nextval('pet_ids') - 1, max(id))) FROM moved`,
};
const selectDuplicateIds = {
  name: 'select_taken_ids',
  text: `
  SELECT id FROM staged GROUP BY id HAVING count(*) > 1 OR EXISTS (SELECT FROM pets WHERE pets.id = staged.id) ORDER BY id`,
};
