import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plansOf } from '@contract-server/core/contract/document.js';
import { CommandError } from '@contract-server/core/lib/errors.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { openTestDatabase } from '@contract-server/test-support/sqlite/database.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { isUsable } from '#src/api-keys/api-key.js';
import { ApiKeyService, type IssuedKey, type NewKey } from '#src/api-keys/api-key-service.js';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import { hashToken, isToken } from '#src/api-keys/token.js';

const { document } = toysContract;
const hourMs = 60 * 60 * 1000;
const limits = { requestsPerMinute: 7, requestsPerDay: 70 };

async function expectRejected(promise: Promise<unknown>, message: string): Promise<void> {
  expect(await errorOf(promise))
    .to.be.instanceOf(CommandError)
    .with.property('message')
    .that.contains(message);
}

describe('ApiKeyService', () => {
  let directory: string;
  let store: SqliteKeyStore;
  let keys: ApiKeyService;
  let now: number;
  const create = (changes: Partial<NewKey> = {}): Promise<IssuedKey> =>
    keys.create({ name: 'shop', plan: 'free', limits: undefined, expiresAt: undefined, ...changes });

  beforeEach(async () => {
    now = startOfTests;
    directory = temporaryDirectory();
    store = new SqliteKeyStore(await openTestDatabase(directory));
    keys = new ApiKeyService(store, plansOf(document), 'pets_live_', () => now, 'toys');
  });

  it('issues a key that is found by its token, and does not store the token', async () => {
    const { key, token } = await create({ plan: 'pro', expiresAt: now + hourMs });
    expect(isToken(token, 'pets_live_')).to.equal(true);
    expect(key).to.deep.include({ name: 'shop', createdAt: now, expiresAt: now + hourMs, revokedAt: undefined });
    expect(key.quota).to.deep.include({ plan: 'pro', limits: undefined });
    expect(await store.findByHash(hashToken(token))).to.deep.equal(key);
    for (const file of readdirSync(directory))
      expect(readFileSync(join(directory, file)).includes(token)).to.equal(false);
    expect([now, now + hourMs - 1, now + hourMs].map((time) => isUsable(key, time))).to.deep.equal([true, true, false]);
  });

  it('assigns a unique id, quota and token to every key, and lists the keys in order of creation', async () => {
    const issued: IssuedKey[] = [];
    for (let count = 0; count < 20; count += 1) issued.push(await create({ name: `shop ${String(count)}` }));
    for (const property of ['id', 'quota', 'token'] as const) {
      const values = issued.map(({ key, token }) => ({ id: key.id, quota: key.quota.id, token })[property]);
      expect(new Set(values).size).to.equal(20);
      if (property !== 'token') expect(values[0]).to.match(property === 'id' ? /^key_\w{12}$/ : /^quota_\w{12}$/);
    }
    expect(await keys.list()).to.deep.equal(issued.map(({ key }) => key));
  });

  it('updates the plan of every key that shares the quota, and rejects limits that do not fit the plan', async () => {
    const { key } = await create({ plan: 'enterprise', limits });
    const { key: successor } = await keys.rotate(key.id, hourMs);
    const more = { requestsPerMinute: 8, requestsPerDay: 80 };
    await keys.update(key.id, { limits: more });
    expect((await store.find(successor.id))?.quota).to.deep.include({ plan: 'enterprise', limits: more });
    await expectRejected(keys.update(key.id, { plan: 'enterprise' }), 'requires limits per minute and per day');
    await expectRejected(keys.update(key.id, { plan: 'free', limits }), 'leave them out');
    await expectRejected(
      keys.update(key.id, { expiresAt: now - 1 }),
      'Invalid --expires: the time must be in the future.',
    );
    await keys.update(key.id, { plan: 'pro' });
    expect((await store.find(successor.id))?.quota).to.deep.include({ plan: 'pro', limits: undefined });
  });

  it('issues a successor with the same quota, and keeps the old key valid for the overlap', async () => {
    const { key, token } = await create({ plan: 'pro' });
    now += hourMs;
    const rotated = await keys.rotate(key.id, 24 * hourMs);
    expect(rotated.predecessorExpiresAt).to.equal(now + 24 * hourMs);
    expect(rotated.key).to.deep.include({ name: 'shop', quota: key.quota, createdAt: now, expiresAt: undefined });
    expect(rotated.token).to.not.equal(token);
    expect(await store.findByHash(hashToken(rotated.token))).to.deep.equal(rotated.key);
    const predecessor = await store.findByHash(hashToken(token));
    expect(predecessor).to.deep.equal({ ...key, expiresAt: now + 24 * hourMs, rotatedAt: now });
    const message = `The key ${key.id} already has a successor; rotate the successor.`;
    await expectRejected(keys.rotate(key.id, hourMs), message);
    expect((await keys.rotate(rotated.key.id, hourMs)).key.expiresAt).to.equal(undefined);
  });

  it('does not extend the validity of a key by a rotation, and rotates no revoked or expired key', async () => {
    const { key } = await create({ expiresAt: now + hourMs });
    const rotated = await keys.rotate(key.id, 24 * hourMs);
    expect([rotated.predecessorExpiresAt, rotated.key.expiresAt]).to.deep.equal([now + hourMs, now + hourMs]);
    const revoked = await create();
    await keys.revoke(revoked.key.id);
    now += hourMs;
    for (const { id } of [revoked.key, rotated.key])
      await expectRejected(keys.rotate(id, hourMs), `The key ${id} is revoked or expired; create another one.`);
    expect(await keys.list()).to.have.lengthOf(3);
  });

  it('revokes only the given key, and keeps the time of the first revocation', async () => {
    const { key } = await create();
    const { key: successor } = await keys.rotate(key.id, 2 * hourMs);
    const revoked = await keys.revoke(key.id);
    expect([revoked.revokedAt, isUsable(revoked, now)]).to.deep.equal([startOfTests, false]);
    now += hourMs;
    expect((await keys.revoke(key.id)).revokedAt).to.equal(startOfTests);
    expect((await store.find(successor.id))?.revokedAt).to.equal(undefined);
  });
});
