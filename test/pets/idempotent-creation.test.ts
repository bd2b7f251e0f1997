import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import type { SqliteDatabase } from '#src/database/sqlite/database.js';
import { ApiError } from '#src/lib/errors.js';
import { IdempotentCreation } from '#src/pets/idempotent-creation.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { rex } from '../support/pets.js';
import { startOfTests } from '../support/servers/service.js';
import { openTestDatabase } from '../support/sqlite/database.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const retentionMs = 1000;

/** The result of a creation: the pet, or the error code. */
async function resultOf(creation: Promise<unknown>): Promise<unknown> {
  try {
    return await creation;
  } catch (error) {
    return error instanceof ApiError ? error.code : error;
  }
}

describe('IdempotentCreation', () => {
  let directory: string;
  let db: SqliteDatabase;
  let pets: SqlitePetStore;
  let creations: IdempotentCreation;
  let now: number;

  const create = (idempotencyKey?: string, text = 'rex', quotaId = 'quota_a', pet = rex) =>
    resultOf(creations.create(pet, idempotencyKey, { quotaId, bodyBytes: Buffer.from(text) }));

  beforeEach(async () => {
    now = startOfTests;
    directory = temporaryDirectory();
    db = await openTestDatabase(directory);
    pets = new SqlitePetStore(db);
    creations = new IdempotentCreation(pets, retentionMs, () => now);
  });
  afterEach(async () => {
    await pets.close();
    db.close();
  });

  it('creates a pet for each request without a key, and one for all requests with the same key', async () => {
    expect([await create(), await create()]).to.deep.equal([
      { id: 1, isReplayed: false },
      { id: 2, isReplayed: false },
    ]);
    expect([await create('one'), await create('one'), await create('one')]).to.deep.equal([
      { id: 3, isReplayed: false },
      { id: 3, isReplayed: true },
      { id: 3, isReplayed: true },
    ]);
  });

  it('rejects a key with other bytes, and keeps the first result', async () => {
    await create('one', '{"name":"Rex","categoryId":7}');
    expect(await create('one', '{"name":"Rex","categoryId": 7}')).to.equal('idempotency_key_reused');
    expect(await create('one', '{"name":"Rex","categoryId":7}')).to.deep.equal({ id: 1, isReplayed: true });
  });

  it('rejects all but one of the concurrent requests in one tick, whatever their bodies', async () => {
    const results = await Promise.all([create('one'), create('one', 'mia'), create('one'), create('two')]);
    expect(results).to.deep.equal([
      { id: 1, isReplayed: false },
      'idempotency_key_in_flight',
      'idempotency_key_in_flight',
      { id: 2, isReplayed: false },
    ]);
  });

  it('rejects no concurrent request if the pet already exists', async () => {
    await create('one');
    const results = await Promise.all(Array.from({ length: 10 }, () => create('one')));
    expect(results).to.deep.equal(Array.from({ length: 10 }, () => ({ id: 1, isReplayed: true })));
  });

  it('lets a key be used again if its request failed', async () => {
    const tooLarge = { ...rex, categoryId: 2n ** 63n };
    expect(await create('one', 'rex', 'quota_a', tooLarge)).to.be.instanceOf(Error);
    const other = new Database(join(directory, 'petstore.db'));
    other.exec('BEGIN IMMEDIATE');
    expect(await create('one')).to.equal('store_unavailable');
    other.exec('ROLLBACK');
    other.close();
    expect(await create('one', 'mia')).to.deep.equal({ id: 1, isReplayed: false });
  });

  it('distinguishes the keys of two quotas, also while requests are in progress', async () => {
    const results = await Promise.all([create('one', 'rex', 'quota_a'), create('one', 'mia', 'quota_b')]);
    expect(results).to.deep.equal([
      { id: 1, isReplayed: false },
      { id: 2, isReplayed: false },
    ]);
  });

  it('stores a key for exactly the retention time', async () => {
    await create('one');
    now += retentionMs - 1;
    expect(await create('one')).to.deep.equal({ id: 1, isReplayed: true });
    now += 1;
    expect(await create('one', 'mia')).to.deep.equal({ id: 2, isReplayed: false });
    now += retentionMs - 1;
    expect(await create('one', 'mia')).to.deep.equal({ id: 2, isReplayed: true });
  });

  it('stores a key also if the clock is set back', async () => {
    await create('one');
    now -= 10 * retentionMs;
    expect(await create('one')).to.deep.equal({ id: 1, isReplayed: true });
  });

  it('treats only the bare and the quoted form of a key as the same', async () => {
    const visible = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    });
    const quoted = (key: string) => `"${key.replace(/["\\]/g, '\\$&')}"`;
    const forms = (key: string) => (key.startsWith('"') ? [quoted(key)] : [key, quoted(key)]);
    let quotas = 0;
    await fc.assert(
      fc.asyncProperty(visible, visible, async (one, other) => {
        const quotaId = `quota_${String((quotas += 1))}`;
        const isReplayed = async (header: string) => {
          const result = (await create(header, 'rex', quotaId)) as { isReplayed: boolean };
          return result.isReplayed;
        };
        const seen: boolean[] = [];
        for (const form of [...forms(one), ...forms(other)]) seen.push(await isReplayed(form));
        const isSame = one === other;
        const expected = [
          ...forms(one).map((_, index) => index > 0),
          ...forms(other).map((_, index) => isSame || index > 0),
        ];
        expect(seen).to.deep.equal(expected);
      }),
      { numRuns: 60 },
    );
  });
});
