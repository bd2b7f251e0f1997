import { randomBytes } from 'node:crypto';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { expect } from 'chai';
import { type ApiKey, createKey, type KeyStore, type StoredKey, type StoredQuota } from '#src/api-keys/api-key.js';

/** An engine without keys. It is closed after the test. */
export interface KeyStoreEngine {
  readonly keys: KeyStore;
  /** The same keys as another process sees them. */
  readonly elsewhere: KeyStore;
}

const limits = { requestsPerMinute: 2, requestsPerDay: Number.MAX_SAFE_INTEGER };
const times = {
  expiresAt: startOfTests + 1,
  revokedAt: startOfTests + 2,
  rotatedAt: startOfTests + 3,
  lastUsedAt: startOfTests + 4,
};
const hash = () => randomBytes(32);

let keysMade = 0;

function sampleKey(changes: Partial<ApiKey> = {}): ApiKey {
  keysMade += 1;
  const quota: StoredQuota = { id: `quota_${String(keysMade)}`, plan: 'free', limits: undefined };
  return { ...createKey({ id: `key_${String(keysMade)}`, name: 'shop', quota, createdAt: startOfTests }), ...changes };
}

const storedKey = (changes: Partial<ApiKey> = {}): StoredKey => ({ key: sampleKey(changes), tokenHash: hash() });

/** The guarantees of every KeyStore. */
export function describeKeyStore(createEngine: () => Promise<KeyStoreEngine>): void {
  describe('KeyStore', () => {
    let keys: KeyStore;
    let elsewhere: KeyStore;
    beforeEach(async () => ({ keys, elsewhere } = await createEngine()));

    async function insert(changes: Partial<ApiKey> = {}): Promise<StoredKey> {
      const added = storedKey(changes);
      await keys.insert(added);
      return added;
    }

    /** Inserts a key that shares the quota of another one. */
    async function rotate(key: ApiKey, changes: Partial<ApiKey> = {}): Promise<StoredKey> {
      const added = storedKey({ quota: key.quota, ...changes });
      await keys.rotate(key.id, startOfTests + 9, added.key, added.tokenHash);
      return added;
    }

    it('stores every key completely, and finds it by its hash and by its id in every process', async () => {
      const quota: StoredQuota = { id: 'quota_enterprise', plan: 'enterprise', limits };
      expect(await keys.list()).to.deep.equal([]);
      expect(await keys.isEmpty()).to.equal(true);
      const stored = [await insert(), await insert({ quota, ...times, name: '  Zoë’s 🐕 "shop"\n' })];
      expect(await elsewhere.list()).to.deep.equal(stored.map(({ key }) => key));
      expect(await elsewhere.isEmpty()).to.equal(false);
      for (const { key, tokenHash } of stored) {
        expect(await elsewhere.find(key.id)).to.deep.equal(key);
        expect(await elsewhere.findByHash(tokenHash)).to.deep.equal(key);
      }
    });

    it('returns its key to each of many concurrent requests, and undefined for an unknown hash or id', async () => {
      const [first, second] = [await insert(), await insert()];
      const hashes = [second.tokenHash, first.tokenHash, hash(), second.tokenHash];
      const found = await Promise.all(hashes.map((tokenHash) => keys.findByHash(tokenHash)));
      expect(found).to.deep.equal([second.key, first.key, undefined, second.key]);
      expect(await keys.find('key_unknown')).to.equal(undefined);
    });

    it('lists the keys in order of creation, and of insertion within a millisecond', async () => {
      const { key: second } = await insert({ createdAt: startOfTests + 1, id: 'key_b' });
      const { key: third } = await insert({ createdAt: startOfTests + 1, id: 'key_a' });
      const { key: first } = await insert();
      expect(await keys.list()).to.deep.equal([first, second, third]);
    });

    it('rejects a key, a hash or a quota that exists, and inserts nothing', async () => {
      const { key, tokenHash } = await insert();
      const duplicates = [{ ...storedKey(), tokenHash }, storedKey({ id: key.id }), storedKey({ quota: key.quota })];
      for (const duplicate of duplicates) expect(await errorOf(elsewhere.insert(duplicate))).to.be.instanceOf(Error);
      expect(await keys.list()).to.deep.equal([key]);
    });

    it('updates only the given fields, and removes a time that is set to undefined', async () => {
      const { key } = await insert({ expiresAt: startOfTests + 5 });
      const { key: other } = await insert();
      const fields = { name: 'other', revokedAt: startOfTests + 1 };
      const plan = { plan: 'pro', limits: undefined } as const;
      await keys.update(key.id, { ...fields, plan });
      await keys.update(key.id, {});
      const expected = { ...key, ...fields, quota: { ...key.quota, ...plan } };
      expect(await elsewhere.list()).to.deep.equal([expected, other]);
      await keys.update(key.id, { expiresAt: undefined });
      expect(await keys.find(key.id)).to.deep.equal({ ...expected, expiresAt: undefined });
    });

    it('updates the plan and its limits for every key that shares the quota', async () => {
      const { key } = await insert();
      const sibling = await rotate(key);
      const enterprise = { plan: 'enterprise', limits } as const;
      await keys.update(key.id, { plan: enterprise });
      expect((await keys.findByHash(sibling.tokenHash))?.quota).to.deep.equal({ ...key.quota, ...enterprise });
      await keys.update(sibling.key.id, { plan: { plan: 'free', limits: undefined } });
      expect((await keys.find(key.id))?.quota).to.deep.equal(key.quota);
    });

    it('rotates: inserts the successor and sets the expiry of the key, but does not change the quota', async () => {
      const { key } = await insert();
      // After the caller has read the key.
      await keys.update(key.id, { plan: { plan: 'pro', limits: undefined } });
      const successor = sampleKey({ quota: key.quota, createdAt: startOfTests + 1 });
      expect(await keys.rotate(key.id, startOfTests + 9, successor, hash())).to.equal(true);
      const quota = { ...key.quota, plan: 'pro' };
      const rotated = { ...key, quota, expiresAt: startOfTests + 9, rotatedAt: startOfTests + 1 };
      expect(await elsewhere.list()).to.deep.equal([rotated, { ...successor, quota }]);
    });

    it('allows one successor per key, also for concurrent rotations, and changes nothing if one fails', async () => {
      const { key, tokenHash } = await insert();
      expect(await errorOf(keys.rotate(key.id, startOfTests + 9, sampleKey(), tokenHash))).to.be.instanceOf(Error);
      expect(await keys.list()).to.deep.equal([key]);
      const rotate = () => keys.rotate(key.id, startOfTests + 9, sampleKey({ quota: key.quota }), hash());
      expect(await Promise.all([rotate(), rotate()])).to.have.members([true, false]);
      expect(await keys.list()).to.have.lengthOf(2);
    });

    it('counts the keys that are neither revoked nor expired, by plan and whether their quota has limits', async () => {
      const on = (plan: string, own?: typeof limits) => ({ quota: { ...sampleKey().quota, plan, limits: own } });
      for (const changes of [
        ...[on('pro'), { ...on('pro'), expiresAt: startOfTests + 1 }, on('enterprise', limits), on('enterprise'), {}],
        ...[{ expiresAt: startOfTests }, { ...on('pro'), revokedAt: startOfTests - 1 }],
      ])
        await insert(changes);
      expect(await elsewhere.countUsable(startOfTests)).to.deep.equal([
        { plan: 'enterprise', hasLimits: false, keys: 1 },
        { plan: 'enterprise', hasLimits: true, keys: 1 },
        { plan: 'free', hasLimits: false, keys: 1 },
        { plan: 'pro', hasLimits: false, keys: 2 },
      ]);
    });

    it('records the latest use of each key, in whatever order uses are reported, also by processes at once', async () => {
      const stored: StoredKey[] = [];
      for (let count = 0; count < 300; count += 1) stored.push(await insert());
      const uses = stored.map(({ key }, index) => [key.id, startOfTests + index] as const);
      for (let round = 0; round < 6; round += 1) {
        const orders = [uses, uses.toReversed(), uses.map(([id]) => [id, startOfTests - round] as const)];
        await Promise.all(orders.map((order, index) => (index > 0 ? elsewhere : keys).markUsed(new Map(order))));
      }
      await keys.markUsed(new Map([['key_unknown', startOfTests]]));
      const expected = uses.map(([, usedAt]) => usedAt);
      expect((await keys.list()).map(({ lastUsedAt }) => lastUsedAt)).to.deep.equal(expected);
    });
  });
}
