import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { isUsable, KeyCommandError } from '#src/api-keys/api-key.js';
import { ApiKeyService, type IssuedKey, type NewKey } from '#src/api-keys/api-key-service.js';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import { hashToken, isToken } from '#src/api-keys/token.js';
import type { SqliteDatabase } from '#src/database/sqlite/database.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { startOfTests } from '../support/servers/service.js';
import { openTestDatabase } from '../support/sqlite/database.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const { document } = await readContract(contractUrl);
const hourMs = 60 * 60 * 1000;
const limits = { requestsPerMinute: 7, requestsPerDay: 70 };
const unlimited = { limits: undefined, expiresAt: undefined };

/** The message of the command error that a promise is rejected with. */
async function errorMessageOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof KeyCommandError) return error.message;
    throw error;
  }
  return expect.fail('Nothing was refused.');
}

describe('ApiKeyService', () => {
  let directory: string;
  let db: SqliteDatabase;
  let store: SqliteKeyStore;
  let ring: ApiKeyService;
  let now: number;
  const create = (changes: Partial<NewKey> = {}): Promise<IssuedKey> =>
    ring.create({ name: 'shop', plan: 'free', ...unlimited, ...changes });

  beforeEach(async () => {
    now = startOfTests;
    directory = temporaryDirectory();
    db = await openTestDatabase(directory);
    store = new SqliteKeyStore(db);
    ring = new ApiKeyService(store, document['x-rate-limit-plans'], 'pets_live_', () => now);
  });
  afterEach(() => db.close());

  describe('create', () => {
    it('issues a key that is found by its token, and does not store the token', async () => {
      const { key, token } = await create({ plan: 'pro', expiresAt: now + hourMs });
      expect(isToken(token, 'pets_live_')).to.equal(true);
      expect(key).to.deep.include({ name: 'shop', createdAt: now, expiresAt: now + hourMs, revokedAt: undefined });
      expect(key.quota).to.deep.include({ plan: 'pro', limits: undefined });
      expect(await store.findByHash(hashToken(token))).to.deep.equal(key);
      for (const file of readdirSync(directory))
        expect(readFileSync(join(directory, file)).includes(token), file).to.equal(false);
    });

    it('assigns a unique id, quota and token to every key', async () => {
      const issued = await Promise.all(Array.from({ length: 20 }, () => create()));
      expect(new Set(issued.map(({ key }) => key.id)).size).to.equal(20);
      expect(new Set(issued.map(({ key }) => key.quota.id)).size).to.equal(20);
      expect(new Set(issued.map(({ token }) => token)).size).to.equal(20);
      expect(issued[0]?.key.id).to.match(/^key_[0-9A-Za-z]{12}$/);
      expect(issued[0]?.key.quota.id).to.match(/^quota_[0-9A-Za-z]{12}$/);
    });

    it('requires limits for a custom plan, and rejects them for others', async () => {
      const { key } = await create({ plan: 'enterprise', limits });
      expect((await store.find(key.id))?.quota.limits).to.deep.equal(limits);
      expect(await errorMessageOf(create({ plan: 'enterprise' }))).to.contain('requires limits per minute and per day');
      expect(await errorMessageOf(create({ plan: 'pro', limits }))).to.contain(
        'the limits of the plan pro are fixed; leave them out',
      );
      expect(await ring.list()).to.have.lengthOf(1);
    });

    it('rejects an expiry that is not in the future', async () => {
      expect(await errorMessageOf(create({ expiresAt: now }))).to.equal('The expiry must be in the future.');
      expect(await ring.list()).to.deep.equal([]);
    });
  });

  describe('update', () => {
    it('changes only the given fields', async () => {
      const { key } = await create({ plan: 'enterprise', limits });
      expect(await ring.update(key.id, { name: 'warehouse' })).to.deep.equal({ ...key, name: 'warehouse' });
      expect(await ring.update(key.id, { expiresAt: now + 1 })).to.deep.equal({
        ...key,
        name: 'warehouse',
        expiresAt: now + 1,
      });
      expect(await ring.update(key.id, { expiresAt: undefined })).to.deep.equal({ ...key, name: 'warehouse' });
    });

    it('changes the plan of every key that shares the quota, and deletes custom limits', async () => {
      const { key } = await create({ plan: 'enterprise', limits });
      const { key: successor } = await ring.rotate(key.id, hourMs);
      await ring.update(key.id, { plan: 'business' });
      expect((await store.find(successor.id))?.quota).to.deep.include({ plan: 'business', limits: undefined });
    });

    it('changes the limits of a custom plan, and rejects limits that are missing or not allowed', async () => {
      const { key } = await create({ plan: 'enterprise', limits });
      const more = { requestsPerMinute: 8, requestsPerDay: 80 };
      expect((await ring.update(key.id, { limits: more })).quota.limits).to.deep.equal(more);
      expect(await errorMessageOf(ring.update(key.id, { plan: 'enterprise' }))).to.contain(
        'requires limits per minute and per day',
      );
      expect(await errorMessageOf(ring.update(key.id, { plan: 'free', limits }))).to.contain('leave them out');
      expect((await store.find(key.id))?.quota.limits).to.deep.equal(more);
    });

    it('rejects an unknown key and an expiry in the past', async () => {
      expect(await errorMessageOf(ring.update('key_unknown', { name: 'x' }))).to.contain(
        'No key has the id key_unknown',
      );
      const { key } = await create();
      expect(await errorMessageOf(ring.update(key.id, { expiresAt: now - 1 }))).to.contain('future');
    });
  });

  describe('rotate', () => {
    it('issues a successor with the same quota, and keeps the old key valid for the overlap', async () => {
      const { key, token } = await create({ plan: 'pro' });
      now += hourMs;
      const rotated = await ring.rotate(key.id, 24 * hourMs);
      expect(rotated.predecessorExpiresAt).to.equal(now + 24 * hourMs);
      expect(rotated.key).to.deep.include({ name: 'shop', quota: key.quota, createdAt: now, expiresAt: undefined });
      expect(rotated.token).to.not.equal(token);
      expect(await store.findByHash(hashToken(rotated.token))).to.deep.equal(rotated.key);
      const predecessor = await store.findByHash(hashToken(token));
      expect(predecessor).to.deep.equal({ ...key, expiresAt: now + 24 * hourMs, rotatedAt: now });
    });

    it('does not extend the validity of a key', async () => {
      const { key } = await create({ expiresAt: now + hourMs });
      const rotated = await ring.rotate(key.id, 24 * hourMs);
      expect(rotated.predecessorExpiresAt).to.equal(now + hourMs);
      expect(rotated.key.expiresAt).to.equal(now + hourMs);
    });

    it('rejects a key that already has a successor', async () => {
      const { key } = await create();
      const { key: successor } = await ring.rotate(key.id, hourMs);
      expect(await errorMessageOf(ring.rotate(key.id, hourMs))).to.equal(
        `The key ${key.id} already has a successor; rotate the successor.`,
      );
      expect((await ring.rotate(successor.id, hourMs)).key.expiresAt).to.equal(undefined);
    });

    it('rejects an unknown, revoked or expired key, and issues nothing', async () => {
      const [revoked, expired] = [await create(), await create({ expiresAt: now + 1 })];
      await ring.revoke(revoked.key.id);
      now += 1;
      for (const { key } of [revoked, expired]) {
        expect(await errorMessageOf(ring.rotate(key.id, hourMs))).to.contain('revoked or expired; create another one');
      }
      expect(await errorMessageOf(ring.rotate('key_unknown', hourMs))).to.contain('No key has the id key_unknown');
      expect(await ring.list()).to.have.lengthOf(2);
    });
  });

  describe('revoke', () => {
    it('revokes only the given key', async () => {
      const { key } = await create();
      const { key: successor } = await ring.rotate(key.id, hourMs);
      const revoked = await ring.revoke(key.id);
      expect(revoked.revokedAt).to.equal(now);
      expect(isUsable(revoked, now)).to.equal(false);
      expect((await store.find(successor.id))?.revokedAt).to.equal(undefined);
    });

    it('keeps the time of the first revocation', async () => {
      const { key } = await create();
      await ring.revoke(key.id);
      now += hourMs;
      expect((await ring.revoke(key.id)).revokedAt).to.equal(startOfTests);
    });

    it('rejects an unknown key', async () => {
      expect(await errorMessageOf(ring.revoke('key_unknown'))).to.contain('List the keys with `petstore keys list`');
    });
  });

  it('lists the keys in order of creation, also within a millisecond', async () => {
    const names = ['c', 'a', 'b'];
    for (const name of names) await create({ name });
    expect((await ring.list()).map(({ name }) => name)).to.deep.equal(names);
  });
});

describe('isUsable', () => {
  it('is true until the millisecond before the expiry', async () => {
    const db = await openTestDatabase();
    const ring = new ApiKeyService(new SqliteKeyStore(db), document['x-rate-limit-plans'], 'pets_live_', () => 0);
    const { key } = await ring.create({ name: 'k', plan: 'free', limits: undefined, expiresAt: 1000 });
    expect([999, 1000].map((now) => isUsable(key, now))).to.deep.equal([true, false]);
    db.close();
  });
});
