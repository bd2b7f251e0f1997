import { ApiError, storeUnavailable } from '@contract-server/core/lib/errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { openTestDatabase } from '@contract-server/test-support/sqlite/database.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { expect } from 'chai';
import { type ApiKey, createKey } from '#src/api-keys/api-key.js';
import { Authenticator } from '#src/api-keys/authenticator.js';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import { createToken, hashToken } from '#src/api-keys/token.js';

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
  let store: WatchedKeyStore;
  let authenticator: Authenticator;
  let now: number;
  const identify = async (token: string, by = authenticator) => by.identify(token);
  const idOf = (token: string) => `key_${token.slice(-12)}`;

  async function issue(expiresAt?: number, token = createToken(prefix)): Promise<string> {
    const id = idOf(token);
    const quota = { id: `quota_${id}`, plan: 'free', limits: undefined } as const;
    const key = createKey({ id, name: 'test', quota, createdAt: now, expiresAt });
    await store.insert({ key, tokenHash: hashToken(token) });
    return token;
  }

  /** Delays look-ups until the result is called. */
  function holdLookUps(): () => void {
    let respond: () => void = () => undefined;
    store.delay = new Promise((resolve) => (respond = resolve));
    return () => respond();
  }

  beforeEach(async () => {
    now = startOfTests;
    store = new WatchedKeyStore(await openTestDatabase());
    authenticator = new Authenticator(store, prefix, () => now, Infinity);
  });

  it('does not look up tokens that are not keys of this environment', async () => {
    const mistyped = createToken(prefix).replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    for (const token of ['', 'x', mistyped, createToken('pets_test_'), 'x'.repeat(10_000)])
      expect(await authenticator.identify(token), token).to.equal(undefined);
    expect(store.lookups).to.equal(0);
  });

  it('looks a key up once for concurrent requests, and not again for a while', async () => {
    const token = await issue();
    const identities = await Promise.all(Array.from({ length: 100 }, () => identify(token)));
    expect(new Set(identities).size).to.equal(1);
    await identify(token);
    expect(store.lookups).to.equal(1);
  });

  it('limits the number of look-ups at the same time', async () => {
    const bounded = new Authenticator(store, prefix, () => now, 2);
    const token = await issue();
    for (const failure of [undefined, storeUnavailable('test')]) {
      store.failure = failure;
      const waiting = [identify(createToken(prefix), bounded), identify(createToken(prefix), bounded)];
      expect(await errorOf(identify(token, bounded)))
        .to.be.an.instanceOf(ApiError)
        .with.property('code', 'server_busy');
      await Promise.allSettled(waiting);
    }
    store.failure = undefined;
    expect(await identify(token, bounded)).to.be.an('object');
  });

  it('applies a revocation within 5 s, also to a key in constant use', async () => {
    const token = await issue();
    await identify(token);
    await store.update(idOf(token), { revokedAt: now });
    for (const end = now + promisedMs; now < end; now += 250) await identify(token);
    expect(await identify(token)).to.equal(undefined);
  });

  it('applies a change of plan within 5 s, and a revocation at once when the clock is set back', async () => {
    const token = await issue();
    await identify(token);
    await store.update(idOf(token), { plan: { plan: 'pro', limits: undefined } });
    now += promisedMs;
    expect(await identify(token)).to.have.nested.property('quota.plan', 'pro');
    await store.update(idOf(token), { revokedAt: now });
    now -= 60 * 60 * 1000;
    expect(await identify(token)).to.equal(undefined);
  });

  it('lets a cached key expire on time, and does not cache unknown keys, which may be issued at any time', async () => {
    const token = createToken(prefix);
    expect(await identify(token)).to.equal(undefined);
    await issue(now + 100, token);
    expect(await identify(token)).to.be.an('object');
    now += 100;
    expect(await identify(token)).to.equal(undefined);
  });

  it('recognizes every valid key and no other, also if more are looked up than are cached', async () => {
    const good = await issue();
    const respond = holdLookUps();
    const identities = [good, ...Array.from({ length: 12_000 }, () => createToken(prefix))].map((token) =>
      identify(token),
    );
    respond();
    const [first, ...others] = await Promise.all(identities);
    expect(first).to.be.an('object');
    expect(new Set(others)).to.deep.equal(new Set([undefined]));
  });

  for (const passedMs of [2000, -3_600_000])
    it(`applies a revocation within 5 s of a look-up while the clock changes by ${String(passedMs)} ms`, async () => {
      const token = await issue();
      const respond = holdLookUps();
      const authentication = identify(token);
      await new Promise((started) => setImmediate(started));
      store.delay = undefined;
      await store.update(idOf(token), { revokedAt: now });
      now += passedMs;
      await identify(createToken(prefix));
      respond();
      expect(await authentication).to.be.an('object');
      now += promisedMs - Math.max(passedMs, 0);
      expect(await identify(token)).to.equal(undefined);
    });

  it('rejects look-ups while the store is unavailable, recognizes cached keys, and reports none as invalid', async () => {
    const [token, cached] = [await issue(), await issue()];
    await identify(cached);
    store.failure = storeUnavailable(new Error('disk gone'));
    for (const result of await Promise.allSettled([identify(token), identify(token)]))
      expect(result).to.include({ status: 'rejected' }).and.have.nested.property('reason.code', 'store_unavailable');
    expect(await identify(cached)).to.be.an('object');
    store.failure = undefined;
    expect(await identify(token)).to.be.an('object');
  });

  describe('recordUses', () => {
    const lastUse = async (token: string) => (await store.find(idOf(token)))?.lastUsedAt;

    it('records when each key was last used, and writes nothing if none was', async () => {
      const [used, unused, expired] = [await issue(), await issue(), await issue(now)];
      await identify(expired);
      await authenticator.recordUses();
      expect(store.writes).to.equal(0);
      await identify(used);
      now += 10;
      await identify(used);
      for (let time = 0; time < 2; time += 1) await authenticator.recordUses();
      expect(store.writes).to.equal(1);
      expect([await lastUse(used), await lastUse(unused), await lastUse(expired)]).to.deep.equal([
        now,
        undefined,
        undefined,
      ]);
    });

    it('retries a failed write, and keeps the later of two uses', async () => {
      const [first, second] = [await issue(), await issue()];
      for (const token of [first, second]) await identify(token);
      store.failure = storeUnavailable(new Error('disk full'));
      const failed = errorOf(authenticator.recordUses());
      now += 10;
      await identify(second);
      expect(await failed).to.equal(store.failure);
      store.failure = undefined;
      await authenticator.recordUses();
      expect([await lastUse(first), await lastUse(second)]).to.deep.equal([startOfTests, startOfTests + 10]);
    });
  });
});
