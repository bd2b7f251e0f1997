import type { Int64, Json } from 'contract-server';
import {
  createBatchLoader,
  GroupCommit,
  type PostgresDatabase,
  type Statement,
  type WriteMetrics,
} from 'contract-server/postgres';
import { columnNames } from '../columns.js';
import {
  type Creation,
  expiredKeysMax,
  type IdempotentRequest,
  type IdempotentResult,
  type NewPet,
  type Pet,
  type PetStore,
} from '../pet-store.js';
import { arrayParameters, columnArrays, columnTypes, petJson } from './column-sql.js';
import { ListingDelay, oldestTransaction } from './listing-delay.js';
import { createPageLoader } from './page-loader.js';

interface PetRow {
  readonly id: number;
  readonly json: Json<Pet>;
}

const findPets: Statement = {
  name: 'find_pets',
  text: `SELECT id, ${petJson} AS json FROM pets WHERE id = ANY ($1::bigint[])`,
};

/** Begins a statement that inserts pets: the row of `reserved` has `last_id_before`, the id before the first pet. */
const reserveIds = 'WITH reserved AS MATERIALIZED (SELECT reserve_pet_ids(cardinality($1::text[])) AS last_id_before)';
/** The id of this transaction; `null` if all earlier ones had ended, so that its pets are listed with its commit. */
const unlistedIn = `nullif(pg_current_xact_id(), ${oldestTransaction})::text::bigint`;
const insertPets: Statement = {
  name: 'insert_pets',
  text: `${reserveIds},
  added AS (
    INSERT INTO pets (id, ${columnNames})
    SELECT last_id_before + ordinal, ${columnNames}
    FROM reserved, unnest(${arrayParameters(columnTypes)}) WITH ORDINALITY AS given (${columnNames}, ordinal)
  )
  SELECT last_id_before AS "lastIdBefore", ${unlistedIn} AS "unlistedIn", NULL AS "addedIds" FROM reserved`,
};
/**
 * A pet whose key exists and has not expired is not inserted; its id stays unused. With the same key twice, the
 * statement fails, and the group commit runs it once per pet.
 */
const insertPetsOnce: Statement = {
  name: 'insert_pets_once',
  text: `${reserveIds},
  given AS MATERIALIZED (
    SELECT last_id_before + ordinal AS id, given.*
    FROM reserved, unnest(${arrayParameters([...columnTypes, 'text', 'text', 'bytea', 'bigint', 'bigint'])})
      WITH ORDINALITY AS given (${columnNames}, quota_id, key, body_digest, received_at, expires_at, ordinal)
  ),
  keys_added AS (
    INSERT INTO idempotency_keys AS present (quota_id, key, body_digest, pet_id, expires_at)
    SELECT quota_id, key, body_digest, id, expires_at FROM given WHERE key IS NOT NULL
    -- Nodes insert keys in the same order, so that they do not deadlock.
    ORDER BY quota_id, key
    ON CONFLICT (quota_id, key) DO UPDATE
      SET body_digest = excluded.body_digest, pet_id = excluded.pet_id, expires_at = excluded.expires_at
      WHERE present.expires_at <= (SELECT received_at FROM given WHERE given.id = excluded.pet_id)
    RETURNING pet_id
  ),
  added AS (
    INSERT INTO pets (id, ${columnNames})
    SELECT id, ${columnNames} FROM given WHERE key IS NULL OR id IN (SELECT pet_id FROM keys_added)
    RETURNING id
  )
  SELECT last_id_before AS "lastIdBefore", ${unlistedIn} AS "unlistedIn",
    array_to_json(ARRAY(SELECT id FROM added)) AS "addedIds"
  FROM reserved`,
};

const findReplay: Statement = {
  name: 'find_replay',
  text: `
  SELECT pet_id AS id, body_digest = $3 AS "hasSameBody"
  FROM idempotency_keys WHERE quota_id = $1 AND key = $2 AND expires_at > $4`,
};
export const deleteExpired: Statement = {
  name: 'delete_expired_keys',
  text: `
  DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
    -- Other nodes do the same; each skips rows that another one has locked.
    SELECT ctid FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at
      LIMIT ${String(expiredKeysMax)} FOR UPDATE SKIP LOCKED
  ))`,
};

interface InsertionRow {
  readonly lastIdBefore: number;
  readonly unlistedIn: number | null;
  readonly addedIds: readonly number[] | null;
}

interface InsertedPet {
  readonly id: number;
  /** Resolves when the pet is listed; `undefined` if it already is. */
  readonly listed: Promise<void> | undefined;
}

export class PostgresPetStore implements PetStore {
  private readonly creations: GroupCommit<Creation, InsertedPet | undefined>;
  private readonly listing: ListingDelay;
  readonly list: PetStore['list'];
  /** Reads the pets of all requests of an event-loop tick with one query. */
  readonly find = createBatchLoader((ids: readonly Int64[]) => this.findAll(ids));

  constructor(
    private readonly db: PostgresDatabase,
    metrics?: Partial<WriteMetrics>,
  ) {
    this.creations = new GroupCommit((creations) => this.insertAll(creations), metrics);
    this.listing = new ListingDelay(db, metrics);
    this.list = createPageLoader(db);
  }

  async insert(pet: NewPet): Promise<number> {
    return idOf((await this.creations.add({ pet })) as InsertedPet);
  }

  async insertOnce(pet: NewPet, request: IdempotentRequest): Promise<IdempotentResult> {
    for (;;) {
      const created = await this.creations.add({ pet, request });
      if (created !== undefined) return { kind: 'created', id: await idOf(created) };
      const earlier = await this.findReplay(request);
      if (earlier !== undefined) return earlier;
      // The row with the same key has been deleted since.
    }
  }

  async findReplay({ quotaId, key, bodyDigest, receivedAt }: IdempotentRequest): Promise<IdempotentResult | undefined> {
    const values = [quotaId, key, bodyDigest, receivedAt];
    const [row] = await this.db.query<{ id: number; hasSameBody: boolean }>(findReplay, values);
    return row && { kind: row.hasSameBody ? 'replayed' : 'other body', id: row.id };
  }

  deleteExpiredKeys(now: number): Promise<number> {
    return this.db.execute(deleteExpired, [now]);
  }

  /** Resolves when every creation has settled. */
  async close(): Promise<void> {
    await this.creations.idle();
  }

  private async findAll(ids: readonly Int64[]): Promise<(Json<Pet> | undefined)[]> {
    const rows = await this.db.query<PetRow>(findPets, [ids]);
    const pets = new Map(rows.map(({ id, json }) => [id, json]));
    // The ids of pets are safe integers; a greater one is not rounded to one of them.
    return ids.map((id) => pets.get(Number(id)));
  }

  /** The results in the order of the creations; `undefined` for one whose key exists. */
  private async insertAll(creations: readonly Creation[]): Promise<(InsertedPet | undefined)[]> {
    const [row] = await this.db.query<InsertionRow>(...insertionOf(creations));
    const { lastIdBefore, unlistedIn, addedIds } = row as InsertionRow;
    const listed = this.listing.wait(unlistedIn);
    const added = addedIds && new Set(addedIds);
    return creations.map((_, index) => {
      const id = lastIdBefore + 1 + index;
      return added === null || added.has(id) ? { id, listed } : undefined;
    });
  }
}

async function idOf({ id, listed }: InsertedPet): Promise<number> {
  if (listed !== undefined) await listed;
  return id;
}

function insertionOf(creations: readonly Creation[]): [Statement, unknown[]] {
  const values = columnArrays(creations.map(({ pet }) => pet));
  const requests = creations.map(({ request }) => request);
  if (requests.every((request) => request === undefined)) return [insertPets, values];
  const fields = ['quotaId', 'key', 'bodyDigest', 'receivedAt', 'expiresAt'] as const;
  return [insertPetsOnce, [...values, ...fields.map((field) => requests.map((request) => request?.[field]))]];
}
