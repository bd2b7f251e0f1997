import type Database from 'better-sqlite3';
import type { Int64, Json } from 'contract-server';
import { GroupCommit, type SqliteDatabase, type WriteMetrics } from 'contract-server/sqlite';
import { columnNames, valuesOf } from '../columns.js';
import {
  type Creation,
  expiredKeysMax,
  type IdempotentRequest,
  type IdempotentResult,
  type NewPet,
  type PageRequest,
  type Pet,
  type PetPage,
  type PetStore,
  type Pets,
} from '../pet-store.js';
import { columnParameters, petJson } from './column-sql.js';

export const listSql = `SELECT ${petJson} FROM pets WHERE id > ? ORDER BY id LIMIT ?`;
// Without INDEXED BY, SQLite may scan the whole table after ANALYZE if most pets have the same status.
export const listByStatusSql = `
  SELECT ${petJson} FROM pets INDEXED BY pets_by_status WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;

const findKeySql = 'SELECT pet_id, body_digest FROM idempotency_keys WHERE quota_id = ? AND key = ? AND expires_at > ?';
export const deleteExpiredSql = `
  DELETE FROM idempotency_keys WHERE (quota_id, key) IN (
    SELECT quota_id, key FROM idempotency_keys INDEXED BY idempotency_keys_by_expiry
      WHERE expires_at <= ? LIMIT ${String(expiredKeysMax)}
  )`;

type KeyRow = readonly [petId: number, bodyDigest: Buffer];

export class SqlitePetStore implements PetStore {
  private readonly listAll: Database.Statement<[number, number], Json<Pet>>;
  private readonly listByStatus: Database.Statement<[string, number, number], Json<Pet>>;
  private readonly findById: Database.Statement<[Int64], Json<Pet>>;
  private readonly insertOne: Database.Statement<ReturnType<typeof valuesOf>>;
  private readonly findKeyRow: Database.Statement<[string, string, number], KeyRow>;
  private readonly insertKey: Database.Statement<[string, string, Uint8Array, number, number]>;
  private readonly anyExpired: Database.Statement<[number], number>;
  private readonly deleteExpired: Database.Statement<[number]>;
  private readonly creations: GroupCommit<Creation, IdempotentResult>;

  constructor(
    private readonly db: SqliteDatabase,
    metrics?: Partial<WriteMetrics>,
  ) {
    this.listAll = db.prepare<[number, number], Json<Pet>>(listSql).pluck();
    this.listByStatus = db.prepare<[string, number, number], Json<Pet>>(listByStatusSql).pluck();
    this.findById = db.prepare<[Int64], Json<Pet>>(`SELECT ${petJson} FROM pets WHERE id = ?`).pluck();
    this.insertOne = db.prepare(`INSERT INTO pets (${columnNames}) VALUES (${columnParameters})`);
    this.findKeyRow = db.prepare<[string, string, number], KeyRow>(findKeySql).raw();
    // Replaces an expired row that has not been deleted yet.
    this.insertKey = db.prepare('INSERT OR REPLACE INTO idempotency_keys VALUES (?, ?, ?, ?, ?)');
    this.anyExpired = db
      .prepare<[number], number>('SELECT 1 FROM idempotency_keys WHERE expires_at <= ? LIMIT 1')
      .pluck();
    this.deleteExpired = db.prepare(deleteExpiredSql);
    const write = (creations: readonly Creation[]) => creations.map((creation) => this.create(creation));
    this.creations = new GroupCommit((creations) => db.transaction(() => write(creations)), metrics);
  }

  list({ limit, status, afterId }: PageRequest): Promise<PetPage> {
    return this.db.run(() => {
      // Reads one more row to find out whether there is a next page.
      const rows =
        status === undefined ? this.listAll.all(afterId, limit + 1) : this.listByStatus.all(status, afterId, limit + 1);
      const hasNext = rows.length > limit;
      if (hasNext) rows.pop();
      const pets = `[${rows.join(',')}]` as Json<Pets>;
      // Only the last id is needed: selecting the column would cost as much per row as the JSON text.
      return { pets, lastId: hasNext ? findLastId(rows) : undefined };
    });
  }

  find(id: Int64): Promise<Json<Pet> | undefined> {
    return this.db.run(() => this.findById.get(id));
  }

  insert(pet: NewPet): Promise<number> {
    return this.creations.add({ pet }).then(({ id }) => id);
  }

  insertOnce(pet: NewPet, request: IdempotentRequest): Promise<IdempotentResult> {
    return this.creations.add({ pet, request });
  }

  findReplay(request: IdempotentRequest): Promise<IdempotentResult | undefined> {
    return this.db.run(() => this.findKey(request));
  }

  async deleteExpiredKeys(now: number): Promise<number> {
    const anyExpired = await this.db.run(() => this.anyExpired.get(now));
    return anyExpired === undefined ? 0 : this.db.transaction(() => this.deleteExpired.run(now).changes);
  }

  /** Resolves when every creation has settled. */
  async close(): Promise<void> {
    await this.creations.idle();
  }

  /** Creates a pet unless an earlier request with the same key has. Must run in a transaction. */
  private create({ pet, request }: Creation): IdempotentResult {
    const earlier = request && this.findKey(request);
    if (earlier !== undefined) return earlier;
    const id = Number(this.insertOne.run(...valuesOf(pet)).lastInsertRowid);
    if (request !== undefined) {
      this.insertKey.run(request.quotaId, request.key, request.bodyDigest, id, request.expiresAt);
    }
    return { kind: 'created', id };
  }

  private findKey({ quotaId, key, bodyDigest, receivedAt }: IdempotentRequest): IdempotentResult | undefined {
    const row = this.findKeyRow.get(quotaId, key, receivedAt);
    return row && { kind: row[1].equals(bodyDigest) ? 'replayed' : 'other body', id: row[0] };
  }
}

/** The last id of a list; `undefined` if the list is empty. */
function findLastId(pets: readonly Json<Pet>[]): number | undefined {
  const last = pets.at(-1);
  return last === undefined ? undefined : (JSON.parse(last) as Pet).id;
}
