import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import {
  type ApiKey,
  KeyCommandError,
  type KeyStore,
  type QuotaRecord,
  type StoredKey,
} from '#src/api-keys/api-key.js';
import { errorOf } from '../support/error-of.js';

/** An engine without keys. */
export interface KeyStoreEngine {
  readonly keys: KeyStore;
  /** The same keys as another process sees them. */
  readonly elsewhere: KeyStore;
  close(): Promise<void>;
}

const createdAt = Date.parse('2026-11-20T12:00:00Z');

let keysMade = 0;

function makeKey(changes: Partial<ApiKey> = {}): ApiKey {
  keysMade += 1;
  const quota: QuotaRecord = { id: `quota_${String(keysMade)}`, plan: 'free', limits: undefined };
  const times = { createdAt, expiresAt: undefined, revokedAt: undefined, rotatedAt: undefined, lastUsedAt: undefined };
  return { id: `key_${String(keysMade)}`, name: 'shop', quota, ...times, ...changes };
}

async function list(keys: KeyStore): Promise<ApiKey[]> {
  return (await keys.exportAll()).map(({ key }) => key);
}

/** Whether a promise is rejected, with any error. */
function isRejected(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => true,
  );
}

/** The guarantees of every KeyStore. */
export function describeKeyStore(createEngine: () => Promise<KeyStoreEngine>): void {
  describe('KeyStore', () => {
    let engine: KeyStoreEngine;
    let keys: KeyStore;
    beforeEach(async () => {
      engine = await createEngine();
      ({ keys } = engine);
    });
    afterEach(() => engine.close());

    async function insert(changes: Partial<ApiKey> = {}): Promise<{ key: ApiKey; hash: Buffer }> {
      const added = { key: makeKey(changes), hash: randomBytes(32) };
      await keys.insertAll([{ key: added.key, tokenHash: added.hash }]);
      return added;
    }

    it('returns a complete key by its hash and by its id, in every process', async () => {
      const limits = { requestsPerMinute: 2, requestsPerDay: Number.MAX_SAFE_INTEGER };
      const quota: QuotaRecord = { id: 'quota_enterprise', plan: 'enterprise', limits };
      const whole = {
        name: '  Zoë’s 🐕 "shop"\n',
        quota,
        expiresAt: createdAt + 1,
        revokedAt: createdAt + 2,
        lastUsedAt: createdAt,
      };
      for (const { key, hash } of [await insert(), await insert(whole)]) {
        expect(await engine.elsewhere.find(key.id)).to.deep.equal(key);
        expect(await engine.elsewhere.findByHash(hash)).to.deep.equal(key);
      }
    });

    it('returns its key to each of many concurrent requests', async () => {
      const [first, second] = [await insert(), await insert({ id: 'key_b' })];
      const hashes = [second.hash, first.hash, randomBytes(32), second.hash];
      const found = await Promise.all(hashes.map((hash) => keys.findByHash(hash)));
      expect(found).to.deep.equal([second.key, first.key, undefined, second.key]);
    });

    it('returns undefined for an unknown hash or id', async () => {
      await insert();
      expect(await keys.findByHash(randomBytes(32))).to.equal(undefined);
      expect(await keys.find('key_unknown')).to.equal(undefined);
    });

    it('lists the keys in order of creation, and of insertion within a millisecond', async () => {
      const second = (await insert({ createdAt: createdAt + 1, id: 'key_b' })).key;
      const third = (await insert({ createdAt: createdAt + 1, id: 'key_a' })).key;
      const first = (await insert()).key;
      expect(await list(keys)).to.deep.equal([first, second, third]);
    });

    it('rejects a key, a hash or a quota that exists, and inserts nothing', async () => {
      const { key, hash } = await insert();
      const duplicates = [
        { key: makeKey(), tokenHash: hash },
        { key: makeKey({ id: key.id }), tokenHash: randomBytes(32) },
        { key: makeKey({ quota: { ...key.quota, plan: 'pro' } }), tokenHash: randomBytes(32) },
      ] as const;
      for (const duplicate of duplicates) {
        const added = [{ key: makeKey(), tokenHash: randomBytes(32) }, duplicate];
        expect(await errorOf(engine.elsewhere.insertAll(added))).to.be.an.instanceOf(KeyCommandError);
      }
      expect(await list(keys)).to.deep.equal([key]);
    });

    it('inserts the keys of one of several concurrent processes, if they share a quota', async () => {
      const quota = { id: 'quota_shared', limits: undefined };
      const custom = { requestsPerMinute: 7, requestsPerDay: 70 };
      const added = [
        makeKey({ quota: { ...quota, plan: 'free' } }),
        makeKey({ quota: { ...quota, plan: 'enterprise', limits: custom } }),
      ].map((key) => [
        { key: makeKey(), tokenHash: randomBytes(32) },
        { key, tokenHash: randomBytes(32) },
      ]);
      const stores = [keys, engine.elsewhere];
      const results = await Promise.allSettled(stores.map((store, index) => store.insertAll(added[index] ?? [])));
      const winner = results.findIndex(({ status }) => status === 'fulfilled');
      expect(results[1 - winner])
        .to.have.property('reason')
        .that.is.an.instanceOf(KeyCommandError);
      expect(await list(keys)).to.deep.equal(added[winner]?.map(({ key }) => key));
    });

    describe('update', () => {
      it('changes only the given fields', async () => {
        const { key } = await insert({ expiresAt: createdAt + 5 });
        const { key: other } = await insert();
        const fields = { name: 'other', revokedAt: createdAt + 1 };
        const plan = { plan: 'pro', limits: undefined } as const;
        await keys.update(key.id, { ...fields, plan });
        const expected = { ...key, ...fields, quota: { ...key.quota, ...plan } };
        expect(await engine.elsewhere.find(key.id)).to.deep.equal(expected);
        expect(await keys.find(other.id)).to.deep.equal(other);
        await keys.update(key.id, {});
        expect(await keys.find(key.id)).to.deep.equal(expected);
      });

      it('removes a time that is set to undefined', async () => {
        const { key } = await insert({ expiresAt: createdAt + 5 });
        await keys.update(key.id, { expiresAt: undefined });
        expect(await keys.find(key.id)).to.deep.equal({ ...key, expiresAt: undefined });
      });

      it('changes the plan and its limits for every key that shares the quota', async () => {
        const key = makeKey();
        const [sibling, hash] = [makeKey({ quota: key.quota }), randomBytes(32)];
        await keys.insertAll([
          { key, tokenHash: randomBytes(32) },
          { key: sibling, tokenHash: hash },
        ]);
        const limits = { requestsPerMinute: 5, requestsPerDay: 50 };
        await keys.update(key.id, { plan: { plan: 'enterprise', limits } });
        expect((await keys.findByHash(hash))?.quota).to.deep.equal({ ...sibling.quota, plan: 'enterprise', limits });
        await keys.update(sibling.id, { plan: { plan: 'free', limits: undefined } });
        expect((await keys.find(key.id))?.quota).to.deep.equal(key.quota);
      });
    });

    describe('rotate', () => {
      it('inserts the successor and sets the expiry of the key', async () => {
        const { key } = await insert();
        const successor = makeKey({ quota: key.quota, createdAt: createdAt + 1 });
        expect(await keys.rotate(key.id, createdAt + 9, successor, randomBytes(32))).to.equal(true);
        const rotated = { ...key, expiresAt: createdAt + 9, rotatedAt: createdAt + 1 };
        expect(await list(engine.elsewhere)).to.deep.equal([rotated, successor]);
      });

      it('does not change the quota, even if its plan was changed after it was read', async () => {
        const { key } = await insert();
        await keys.update(key.id, { plan: { plan: 'pro', limits: undefined } });
        const successor = makeKey({ quota: key.quota });
        expect(await keys.rotate(key.id, createdAt + 9, successor, randomBytes(32))).to.equal(true);
        expect((await keys.find(successor.id))?.quota).to.deep.equal({ ...key.quota, plan: 'pro' });
      });

      it('allows one successor per key, also for concurrent rotations', async () => {
        const { key } = await insert();
        const rotate = () => keys.rotate(key.id, createdAt + 9, makeKey({ quota: key.quota }), randomBytes(32));
        expect(await Promise.all([rotate(), rotate()])).to.have.members([true, false]);
        expect(await list(keys)).to.have.lengthOf(2);
      });

      it('changes nothing if one of the changes fails', async () => {
        const { key, hash } = await insert();
        expect(await isRejected(keys.rotate(key.id, createdAt + 9, makeKey(), hash))).to.equal(true);
        expect(await list(keys)).to.deep.equal([key]);
      });
    });

    describe('exportAll and insertAll', () => {
      const keysOf = (count: number): StoredKey[] =>
        Array.from({ length: count }, () => ({ key: makeKey(), tokenHash: randomBytes(32) }));

      it('transfer every key completely, with its hash, in order', async () => {
        const limits = { requestsPerMinute: 2, requestsPerDay: 3 };
        const quota: QuotaRecord = { id: 'quota_shared', plan: 'enterprise', limits };
        const times = {
          expiresAt: createdAt + 1,
          revokedAt: createdAt + 2,
          rotatedAt: createdAt + 3,
          lastUsedAt: createdAt + 4,
        };
        const shared = [{}, times].map((changes) => ({
          key: makeKey({ quota, ...changes }),
          tokenHash: randomBytes(32),
        }));
        const stored = [...keysOf(2), ...shared];
        await keys.insertAll(stored);
        expect(await engine.elsewhere.exportAll()).to.deep.equal(stored);
        expect(await keys.findByHash(stored[3]?.tokenHash ?? Buffer.alloc(0))).to.deep.equal(stored[3]?.key);
      });

      it('transfer nothing if there are no keys', async () => {
        await keys.insertAll([]);
        expect(await keys.exportAll()).to.deep.equal([]);
      });

      it('insert all keys or none', async () => {
        const { hash } = await insert();
        const [first, second] = keysOf(2) as [StoredKey, StoredKey];
        expect(await isRejected(keys.insertAll([first, { ...second, tokenHash: hash }]))).to.equal(true);
        expect(await list(keys)).to.have.lengthOf(1);
        expect(
          await isRejected(keys.insertAll([first, { ...second, key: { ...second.key, id: first.key.id } }])),
        ).to.equal(true);
        expect(await list(keys)).to.have.lengthOf(1);
      });
    });

    describe('markUsed', () => {
      it('records the latest use of each key, in whatever order uses are reported', async () => {
        const [{ key: first }, { key: second }] = [await insert(), await insert()];
        await keys.markUsed(new Map([[first.id, createdAt + 10]]));
        await keys.markUsed(
          new Map([
            [first.id, createdAt + 5],
            [second.id, createdAt + 7],
            ['key_unknown', createdAt],
          ]),
        );
        expect((await list(keys)).map(({ lastUsedAt }) => lastUsedAt)).to.deep.equal([createdAt + 10, createdAt + 7]);
      });
    });
  });
}
