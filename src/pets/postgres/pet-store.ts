import { BatchWindow } from '../../database/batch-window.js';
import { GroupCommit, type GroupCommitOptions } from '../../database/group-commit.js';
import type { PostgresDatabase, Statement } from '../../database/postgres/database.js';
import type { Json } from '../../json/exact-json.js';
import type { Int64 } from '../../json/int64.js';
import type { NewPet, Pet, Pets } from '../pet.js';
import type { IdempotentRequest, IdempotentResult, PageRequest, PetPage, PetStore } from '../pet-store.js';
import { reserveIds } from './reserve-ids.js';

/** A Pet of the contract as JSON text, so that 64-bit integers are exact. The same text as in SQLite. */
const petJson = `'{"id":' || id || ',"name":' || to_json(name) || ',"categoryId":' || category_id || ',"status":' || to_json(status) || '}'`;

export const list: Statement = {
  name: 'list_pets',
  text: `SELECT id, ${petJson} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`,
};
// With `status = $1`, the planner may scan all pets if it expects most to have that status. Only the index on status
// and id has the order of this form, and the scan begins at the page.
export const listByStatus: Statement = {
  name: 'list_pets_by_status',
  text: `SELECT id, ${petJson} FROM pets WHERE (status, id) > ($1, $2) AND status <= $1 ORDER BY status, id LIMIT $3`,
};
const findPet: Statement = { name: 'find_pet', text: `SELECT ${petJson} FROM pets WHERE id = $1` };

/** A group of creations is one statement, so that the lock of the ids is not held during a round trip. */
const takeOneIdEach = reserveIds('cardinality($1::text[])');
const insertPets: Statement = {
  name: 'insert_pets',
  text: `${takeOneIdEach},
  added AS (
    INSERT INTO pets (id, name, category_id, status)
    SELECT last_id_before + ordinal, name, category_id, status
    FROM ids, unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS given (name, category_id, status, ordinal)
  )
  SELECT last_id_before, NULL FROM ids`,
};
/** A pet whose key exists and has not expired is not inserted; its id stays unused. */
const insertPetsOnce: Statement = {
  name: 'insert_pets_once',
  text: `${takeOneIdEach},
  given AS MATERIALIZED (
    SELECT last_id_before + ordinal AS id, given.*
    FROM ids, unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::bigint[], $8::bigint[])
      WITH ORDINALITY AS given (name, category_id, status, quota_id, key, body_digest, sent_at, expires_at, ordinal)
  ),
  keys_added AS (
    INSERT INTO idempotency_keys AS present (quota_id, key, body_digest, pet_id, sent_at, expires_at)
    SELECT quota_id, key, body_digest, id, sent_at, expires_at FROM given WHERE key IS NOT NULL
    ON CONFLICT (quota_id, key) DO UPDATE
      SET body_digest = excluded.body_digest, pet_id = excluded.pet_id, sent_at = excluded.sent_at, expires_at = excluded.expires_at
      WHERE present.expires_at <= excluded.sent_at
    RETURNING pet_id
  ),
  added AS (
    INSERT INTO pets (id, name, category_id, status)
    SELECT id, name, category_id, status FROM given WHERE key IS NULL OR id IN (SELECT pet_id FROM keys_added)
    RETURNING id
  )
  SELECT last_id_before, array_to_json(ARRAY(SELECT id FROM added)) FROM ids`,
};

const findReplay: Statement = {
  name: 'recall_request',
  text: 'SELECT pet_id, body_digest = $3 FROM idempotency_keys WHERE quota_id = $1 AND key = $2 AND expires_at > $4',
};
/** Maximum number of rows per statement, and of statements per call of `deleteExpiredKeys`. */
const deletedRowsMax = 200;
const deletionsMax = 20;
export const deleteExpired: Statement = {
  name: 'delete_expired_keys',
  text: `
  WITH deleted AS (
    DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
      -- Other nodes do the same; each skips rows that another one has locked.
      SELECT ctid FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${String(deletedRowsMax)} FOR UPDATE SKIP LOCKED
    )) RETURNING 1
  )
  SELECT count(*) FROM deleted`,
};

interface Creation {
  readonly pet: NewPet;
  readonly request?: IdempotentRequest;
}

export class PostgresPetStore implements PetStore {
  private readonly creations: GroupCommit<Creation, number | undefined>;

  constructor(
    private readonly db: PostgresDatabase,
    groupCommit: GroupCommitOptions = { batchWindow: new BatchWindow() },
  ) {
    this.creations = new GroupCommit((creations) => this.insertAll(creations), groupCommit);
  }

  async list({ limit, status, afterId }: PageRequest): Promise<PetPage> {
    // Reads one more row to find out whether there is a next page.
    const rows = await (status === undefined
      ? this.db.read<[number, string]>(list, [afterId, limit + 1])
      : this.db.read<[number, string]>(listByStatus, [status, afterId, limit + 1]));
    const shown = rows.slice(0, limit);
    const pets = `[${shown.map(([, json]) => json).join(',')}]` as Json<Pets>;
    return { pets, lastId: rows.length > limit ? shown.at(-1)?.[0] : undefined };
  }

  async find(id: Int64): Promise<Json<Pet> | undefined> {
    const [row] = await this.db.read<[Json<Pet>]>(findPet, [id]);
    return row?.[0];
  }

  async insert(pet: NewPet): Promise<number> {
    return (await this.creations.add({ pet })) as number;
  }

  async insertOnce(pet: NewPet, request: IdempotentRequest): Promise<IdempotentResult> {
    for (;;) {
      const id = await this.creations.add({ pet, request });
      if (id !== undefined) return { kind: 'created', id };
      const earlier = await this.findReplay(request);
      if (earlier !== undefined) return earlier;
      // The row with the same key has been deleted since.
    }
  }

  async findReplay({ quotaId, key, bodyDigest, sentAt }: IdempotentRequest): Promise<IdempotentResult | undefined> {
    const [row] = await this.db.read<[number, boolean]>(findReplay, [quotaId, key, bodyDigest, sentAt]);
    return row && { kind: row[1] ? 'replayed' : 'other body', id: row[0] };
  }

  async deleteExpiredKeys(now: number): Promise<number> {
    let deleted = 0;
    for (let run = 0; run < deletionsMax; run += 1) {
      const [[count] = [0]] = await this.db.write<[number]>(deleteExpired, [now]);
      deleted += count;
      if (count < deletedRowsMax) break;
    }
    return deleted;
  }

  /** Resolves when every creation has settled. */
  async close(): Promise<void> {
    await this.creations.idle();
  }

  /** The ids in the order of the creations; `undefined` for one whose key exists. */
  private async insertAll(creations: readonly Creation[]): Promise<(number | undefined)[]> {
    const tried = withoutDuplicateKeys(creations);
    const [row] = await this.db.write<[number, number[] | null]>(...insertionOf(tried));
    const [lastIdBefore, added] = row as [number, number[] | null];
    const ids = new Map(tried.map((creation, index) => [creation, lastIdBefore + 1 + index]));
    if (added === null) return creations.map((creation) => ids.get(creation));
    const addedIds = new Set(added);
    return creations.map((creation) => {
      const id = ids.get(creation);
      return id !== undefined && addedIds.has(id) ? id : undefined;
    });
  }
}

/** Keeps the first creation per key, because one statement cannot upsert a row twice. */
function withoutDuplicateKeys(creations: readonly Creation[]): readonly Creation[] {
  const keys = new Set<string>();
  return creations.filter(({ request }) => {
    if (request === undefined) return true;
    const key = JSON.stringify([request.quotaId, request.key]);
    return !keys.has(key) && keys.add(key);
  });
}

function insertionOf(creations: readonly Creation[]): [Statement, unknown[]] {
  const pets = creations.map(({ pet }) => pet);
  const values = [
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => categoryId),
    pets.map(({ status }) => status),
  ];
  const requests = creations.map(({ request }) => request);
  if (requests.every((request) => request === undefined)) return [insertPets, values];
  const fields = ['quotaId', 'key', 'bodyDigest', 'sentAt', 'expiresAt'] as const;
  return [insertPetsOnce, [...values, ...fields.map((field) => requests.map((request) => request?.[field]))]];
}
