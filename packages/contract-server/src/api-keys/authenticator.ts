import type { Clock } from '@contract-server/core/lib/clock.js';
import { serverBusy } from '@contract-server/core/lib/errors.js';
import { LRUCache } from 'lru-cache';
import { type ApiKey, isUsable, type KeyStore } from './api-key.js';
import { hashToken, isToken } from './token.js';

/** How long a key is cached. A revocation or a change of plan must take effect within 5 s. */
const cacheTtlMs = 4000;
const cachedKeysMax = 10_000;

/** Finds API keys by their tokens, and caches them. */
export class Authenticator {
  private readonly keys: LRUCache<string, ApiKey>;
  /** The look-ups in progress. They are not in the LRU cache, which evicts entries. */
  private readonly lookUps = new Map<string, Promise<ApiKey | undefined>>();
  /** The time of the last request. */
  private latest = 0;
  private uses = new Map<string, number>();

  constructor(
    private readonly store: Pick<KeyStore, 'findByHash' | 'markUsed'>,
    private readonly tokenPrefix: string,
    private readonly clock: Clock,
    /** Maximum number of look-ups at the same time. */
    private readonly lookUpsMax: number,
  ) {
    this.keys = new LRUCache({ max: cachedKeysMax, ttl: cacheTtlMs, ttlResolution: 0, perf: { now: clock } });
  }

  /**
   * Returns the key of a token; `undefined` if the token is unknown, revoked, expired or malformed.
   *
   * Rejects with ApiError `store_unavailable` when the key cannot be looked up: an unavailable store never makes
   * a valid key invalid. Throws `server_busy` if too many keys are being looked up.
   */
  identify(token: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    const now = this.clock();
    // When the clock is set back, the ages of cached keys are unknown.
    if (now < this.latest) this.keys.clear();
    this.latest = now;
    // Cached tokens were validated before they were looked up.
    const cached = this.keys.get(token);
    if (cached !== undefined) return this.recordUse(cached);
    if (!isToken(token, this.tokenPrefix)) return undefined;
    return this.lookUp(token).then((key) => this.recordUse(key));
  }

  /** Records the use of a key, if it is usable. */
  private recordUse(key: ApiKey | undefined): ApiKey | undefined {
    const now = this.clock();
    if (key === undefined || !isUsable(key, now)) return undefined;
    this.uses.set(key.id, now);
    return key;
  }

  /** Concurrent requests share a look-up. An unknown key is not cached, because it may be issued at any time. */
  private lookUp(token: string): Promise<ApiKey | undefined> {
    const pending = this.lookUps.get(token);
    if (pending !== undefined) return pending;
    if (this.lookUps.size >= this.lookUpsMax) throw serverBusy();
    const lookUp = this.readKey(token).finally(() => this.lookUps.delete(token));
    this.lookUps.set(token, lookUp);
    return lookUp;
  }

  private async readKey(token: string): Promise<ApiKey | undefined> {
    // The age of a key counts from the start of the query.
    const start = this.clock();
    const key = await this.store.findByHash(hashToken(token));
    if (key !== undefined && start <= this.clock()) this.keys.set(token, key, { start });
    return key;
  }

  /** Writes when keys were used since the last call. If that fails, the next call writes it. */
  async recordUses(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = this.uses;
    this.uses = new Map();
    try {
      await this.store.markUsed(uses);
    } catch (error) {
      this.uses = new Map([...uses, ...this.uses]);
      throw error;
    }
  }
}
