import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type ApiKey, createKey, type KeyStore, type StoredKey, type StoredQuota } from '#src/api-keys/api-key.js';
import { CommandError } from '#src/lib/errors.js';
import { errorOf } from '../support/error-of.js';
import { startOfTests } from '../support/start-of-tests.js';

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

async function list(keys: KeyStore): Promise<ApiKey[]> {
  return (await keys.list()).map(({ key }) => key);
}

/** The guarantees of every KeyStore. */
export function describeKeyStore(createEngine: () => Promise<KeyStoreEngine>): void {
  describe('KeyStore', () => {
    let keys: KeyStore;
    let elsewhere: KeyStore;
    beforeEach(async () => ({ keys, elsewhere } = await createEngine()));

    async function insert(changes: Partial<ApiKey> = {}): Promise<StoredKey> {
      const added = storedKey(changes);
      await keys.insertAll([added]);
      return added;
    }

    it('transfers every key completely, in order, and finds it by its hash and by its id in every process', async () => {
      const quota: StoredQuota = { id: 'quota_enterprise', plan: 'enterprise', limits };
      await keys.insertAll([]);
      expect(await keys.list()).to.deep.equal([]);
      expect(await keys.isEmpty()).to.equal(true);
      const stored = [{}, { quota }, { quota, ...times, name: '  Zoë’s 🐕 "shop"\n' }].map(storedKey);
      await keys.insertAll(stored);
      expect(await elsewhere.list()).to.deep.equal(stored);
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
      expect(await list(keys)).to.deep.equal([first, second, third]);
    });

    it('rejects a key, a hash or a quota that exists, and inserts nothing', async () => {
      const { key, tokenHash } = await insert();
      for (const duplicate of [
        { ...storedKey(), tokenHash },
        storedKey({ id: key.id }),
        storedKey({ quota: { ...key.quota, plan: 'pro' } }),
      ]) {
        const error = await errorOf(elsewhere.insertAll([storedKey(), duplicate]));
        expect(error).to.be.an.instanceOf(CommandError);
      }
      const repeated = storedKey();
      expect(await errorOf(keys.insertAll([repeated, repeated]))).to.be.instanceOf(Error);
      expect(await list(keys)).to.deep.equal([key]);
    });

    it('inserts the keys of one of several concurrent processes, if they share a quota', async () => {
      const shared = [{ plan: 'free', limits: undefined } as const, { plan: 'enterprise', limits } as const];
      const added = shared.map((plan) => [storedKey(), storedKey({ quota: { id: 'quota_shared', ...plan } })]);
      const stores = [keys, elsewhere];
      const results = await Promise.allSettled(stores.map((store, index) => store.insertAll(added[index] ?? [])));
      const winner = results.findIndex(({ status }) => status === 'fulfilled');
      expect(results[1 - winner])
        .to.have.property('reason')
        .that.is.an.instanceOf(CommandError);
      expect(await keys.list()).to.deep.equal(added[winner]);
    });

    it('updates only the given fields, and removes a time that is set to undefined', async () => {
      const { key } = await insert({ expiresAt: startOfTests + 5 });
      const { key: other } = await insert();
      const fields = { name: 'other', revokedAt: startOfTests + 1 };
      const plan = { plan: 'pro', limits: undefined } as const;
      await keys.update(key.id, { ...fields, plan });
      await keys.update(key.id, {});
      const expected = { ...key, ...fields, quota: { ...key.quota, ...plan } };
      expect(await list(elsewhere)).to.deep.equal([expected, other]);
      await keys.update(key.id, { expiresAt: undefined });
      expect(await keys.find(key.id)).to.deep.equal({ ...expected, expiresAt: undefined });
    });

    it('updates the plan and its limits for every key that shares the quota', async () => {
      const key = sampleKey();
      const sibling = storedKey({ quota: key.quota });
      await keys.insertAll([{ key, tokenHash: hash() }, sibling]);
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
      expect(await list(elsewhere)).to.deep.equal([rotated, { ...successor, quota }]);
    });

    it('allows one successor per key, also for concurrent rotations, and changes nothing if one fails', async () => {
      const { key, tokenHash } = await insert();
      expect(await errorOf(keys.rotate(key.id, startOfTests + 9, sampleKey(), tokenHash))).to.be.instanceOf(Error);
      expect(await list(keys)).to.deep.equal([key]);
      const rotate = () => keys.rotate(key.id, startOfTests + 9, sampleKey({ quota: key.quota }), hash());
      expect(await Promise.all([rotate(), rotate()])).to.have.members([true, false]);
      expect(await list(keys)).to.have.lengthOf(2);
    });

    it('counts the keys that are neither revoked nor expired, by plan and whether their quota has limits', async () => {
      const quota = (plan: StoredQuota['plan'], own?: typeof limits) => ({ id: `quota_${plan}`, plan, limits: own });
      const [pro, custom] = [quota('pro'), quota('enterprise', limits)];
      const changes = [{ quota: pro }, { quota: pro, expiresAt: startOfTests + 1 }, { quota: custom }, {}];
      const unusable = [{ expiresAt: startOfTests }, { revokedAt: startOfTests - 1, quota: pro }];
      await keys.insertAll([...changes, ...unusable].map(storedKey));
      await keys.insertAll([storedKey({ quota: { ...quota('enterprise'), id: 'quota_incomplete' } })]);
      expect(await elsewhere.countUsable(startOfTests)).to.deep.equal([
        { plan: 'enterprise', hasLimits: false, keys: 1 },
        { plan: 'enterprise', hasLimits: true, keys: 1 },
        { plan: 'free', hasLimits: false, keys: 1 },
        { plan: 'pro', hasLimits: false, keys: 2 },
      ]);
    });

    it('records the latest use of each key, in whatever order uses are reported, also by processes at once', async () => {
      const stored = Array.from({ length: 1000 }, () => storedKey());
      await keys.insertAll(stored);
      const uses = stored.map(({ key }, index) => [key.id, startOfTests + index] as const);
      for (let round = 0; round < 6; round += 1) {
        const orders = [uses, uses.toReversed(), uses.map(([id]) => [id, startOfTests - round] as const)];
        await Promise.all(orders.map((order, index) => (index > 0 ? elsewhere : keys).markUsed(new Map(order))));
      }
      await keys.markUsed(new Map([['key_unknown', startOfTests]]));
      const expected = uses.map(([, usedAt]) => usedAt);
      expect((await list(keys)).map(({ lastUsedAt }) => lastUsedAt)).to.deep.equal(expected);
    });
  });
}
