import { expect } from 'chai';
import type { ApiKey } from '#src/api-keys/api-key.js';
import { type AuthenticationResult, Authenticator } from '#src/api-keys/authenticator.js';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import { createToken, hashToken } from '#src/api-keys/token.js';
import type { SqliteDatabase } from '#src/database/sqlite/database.js';
import { ApiError, storeUnavailable } from '#src/lib/errors.js';
import { errorOf } from '../support/error-of.js';
import { startOfTests } from '../support/servers/service.js';
import { openTestDatabase } from '../support/sqlite/database.js';

/** The real store, with a counter of look-ups, and a failure that can be set. */
class WatchedKeyStore extends SqliteKeyStore {
  lookups = 0;
  writes = 0;
  failure: ApiError | undefined;
  /** A look-up waits for this promise after it has read. */
  delay: Promise<void> | undefined;

  override async findByHash(tokenHash: Buffer): Promise<ApiKey | undefined> {
    this.lookups += 1;
    if (this.failure !== undefined) throw this.failure;
    const key = await super.findByHash(tokenHash);
    await this.delay;
    return key;
  }

  override markUsed(uses: ReadonlyMap<string, number>): Promise<void> {
    this.writes += 1;
    return this.failure === undefined ? super.markUsed(uses) : Promise.reject(this.failure);
  }
}

const prefix = 'pets_live_';
/** Maximum time until a revocation or a change of plan takes effect, in milliseconds. */
const promisedMs = 5000;

describe('Authenticator', () => {
  let db: SqliteDatabase;
  let store: WatchedKeyStore;
  let authenticator: Authenticator;
  let now: number;
  const identify = async (token: string): Promise<AuthenticationResult> => authenticator.identify(`Bearer ${token}`);

  async function issue(changes: Partial<ApiKey> = {}, token = createToken(prefix)): Promise<string> {
    const id = `key_${token.slice(-12)}`;
    const quota = { id: `quota_${id}`, plan: 'free', limits: undefined } as const;
    const times = {
      createdAt: now,
      expiresAt: undefined,
      revokedAt: undefined,
      rotatedAt: undefined,
      lastUsedAt: undefined,
    };
    const key = { id, name: 'test', quota, ...times, ...changes };
    await store.insertAll([{ key, tokenHash: hashToken(token) }]);
    return token;
  }

  async function requireId(token: string): Promise<string> {
    return (await store.findByHash(hashToken(token)))?.id ?? expect.fail('There is no such key.');
  }

  beforeEach(async () => {
    now = startOfTests;
    db = await openTestDatabase();
    store = new WatchedKeyStore(db);
    authenticator = new Authenticator(store, prefix, () => now, Infinity);
  });
  afterEach(() => db.close());

  it('finds the key of a token, with the scheme in any case', async () => {
    const token = await issue();
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      expect(await authenticator.identify(`${scheme} ${token}`)).to.deep.include({ name: 'test', createdAt: now });
    }
  });

  it('reports a missing key if none was sent', async () => {
    for (const header of [
      undefined,
      '',
      'Bearer',
      'Basic dXNlcjpwYXNz',
      createToken(prefix),
      `Basic Bearer ${createToken(prefix)}`,
    ]) {
      expect(await authenticator.identify(header), header).to.equal('missing key');
    }
  });

  it('does not look up tokens that are not keys of this environment', async () => {
    const mistyped = createToken(prefix).replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    for (const token of ['', 'x', mistyped, createToken('pets_test_'), 'x'.repeat(10_000)]) {
      expect(await authenticator.identify(`Bearer  ${token}`), token).to.equal('invalid key');
    }
    expect(store.lookups).to.equal(0);
  });

  describe('caches keys', () => {
    it('looks a key up once for concurrent requests, and not again for a while', async () => {
      const token = await issue();
      const identities = await Promise.all(Array.from({ length: 100 }, () => identify(token)));
      expect(new Set(identities).size).to.equal(1);
      await identify(token);
      expect(store.lookups).to.equal(1);
    });

    it('limits the number of look-ups at the same time', async () => {
      const bounded = new Authenticator(store, prefix, () => now, 2);
      const identifyBounded = async (token: string) => await bounded.identify(`Bearer ${token}`);
      const token = await issue();
      for (const failure of [undefined, storeUnavailable('test')]) {
        store.failure = failure;
        const waiting = [identifyBounded(createToken(prefix)), identifyBounded(createToken(prefix))];
        expect(await errorOf(identifyBounded(token)))
          .to.be.an.instanceOf(ApiError)
          .with.property('code', 'server_busy');
        await Promise.allSettled(waiting);
      }
      store.failure = undefined;
      expect(await identifyBounded(token)).to.be.an('object');
    });

    it('applies a revocation within 5 s, also to a key in constant use', async () => {
      const token = await issue();
      await identify(token);
      await store.update(await requireId(token), { revokedAt: now });
      for (const end = now + promisedMs; now < end; now += 250) await identify(token);
      expect(await identify(token)).to.equal('invalid key');
    });

    it('applies a change of plan within 5 s', async () => {
      const token = await issue();
      await identify(token);
      await store.update(await requireId(token), { plan: { plan: 'business', limits: undefined } });
      now += promisedMs;
      expect(await identify(token)).to.have.nested.property('quota.plan', 'business');
    });

    it('drops cached keys after the clock was set back', async () => {
      const token = await issue();
      await identify(token);
      await store.update(await requireId(token), { revokedAt: now });
      now -= 60 * 60 * 1000;
      expect(await identify(token)).to.equal('invalid key');
    });

    it('lets a cached key expire on time', async () => {
      const token = await issue({ expiresAt: now + 100 });
      expect(await identify(token)).to.be.an('object');
      now += 100;
      expect(await identify(token)).to.equal('invalid key');
    });

    it('does not cache unknown keys, which may be issued at any time', async () => {
      const token = createToken(prefix);
      expect(await identify(token)).to.equal('invalid key');
      await issue({}, token);
      expect(await identify(token)).to.be.an('object');
    });
  });

  describe('if the store is slow', () => {
    let response: () => void;
    beforeEach(() => {
      store.delay = new Promise((resolve) => (response = resolve));
    });

    it('recognizes every valid key and no other, also if more are looked up than are cached', async () => {
      const good = await issue();
      const tokens = [good, ...Array.from({ length: 12_000 }, () => createToken(prefix))];
      const identities = tokens.map(identify);
      response();
      const [first, ...others] = await Promise.all(identities);
      expect(first).to.be.an('object');
      expect(new Set(others)).to.deep.equal(new Set(['invalid key']));
    });

    it('applies a revocation within 5 s of the start of the look-up', async () => {
      const token = await issue();
      const authentication = identify(token);
      await new Promise((resolve) => setImmediate(resolve));
      store.delay = undefined;
      await store.update(await requireId(token), { revokedAt: now });
      now += 2000;
      response();
      expect(await authentication).to.be.an('object');
      now += promisedMs - 2000;
      expect(await identify(token)).to.equal('invalid key');
    });
  });

  describe('if the store is unavailable', () => {
    it('rejects the look-up, and never reports a valid key as invalid', async () => {
      const token = await issue();
      store.failure = storeUnavailable(new Error('disk gone'));
      const results = await Promise.allSettled([identify(token), identify(token)]);
      for (const result of results) {
        expect(result).to.include({ status: 'rejected' }).and.have.nested.property('reason.code', 'store_unavailable');
      }
      store.failure = undefined;
      expect(await identify(token)).to.be.an('object');
    });

    it('still recognizes cached keys', async () => {
      const token = await issue();
      await identify(token);
      store.failure = storeUnavailable(new Error('disk gone'));
      expect(await identify(token)).to.be.an('object');
    });
  });

  describe('recordUses', () => {
    async function lastUse(token: string): Promise<number | undefined> {
      return (await store.findByHash(hashToken(token)))?.lastUsedAt;
    }

    it('records when each key was last used, and writes nothing if none was', async () => {
      const [used, unused] = [await issue(), await issue()];
      await authenticator.recordUses();
      expect(store.writes).to.equal(0);
      await identify(used);
      now += 10;
      await identify(used);
      await authenticator.recordUses();
      await authenticator.recordUses();
      expect(store.writes).to.equal(1);
      expect(await lastUse(used)).to.equal(startOfTests + 10);
      expect(await lastUse(unused)).to.equal(undefined);
    });

    it('does not record the use of a rejected key', async () => {
      const token = await issue({ expiresAt: now });
      await identify(token);
      await authenticator.recordUses();
      expect(await lastUse(token)).to.equal(undefined);
    });

    it('retries a failed write, and keeps the later of two uses', async () => {
      const [first, second] = [await issue(), await issue()];
      await identify(first);
      await identify(second);
      store.failure = storeUnavailable(new Error('disk full'));
      const failed = authenticator.recordUses().then(
        () => undefined,
        (error: unknown) => error,
      );
      now += 10;
      await identify(second);
      expect(await failed).to.equal(store.failure);
      store.failure = undefined;
      await authenticator.recordUses();
      expect(await lastUse(first)).to.equal(startOfTests);
      expect(await lastUse(second)).to.equal(startOfTests + 10);
    });
  });
});
