import { LRUCache } from 'lru-cache';
import { type Clock, forwardClock } from '../lib/clock.js';
import { serverBusy } from '../openapi/api-error.js';
import { type ApiKey, isUsable, type KeyStore } from './api-key.js';
import { hashToken, isToken } from './token.js';

/** Who sends a request: the key, or why there is none. */
export type AuthenticationResult = ApiKey | 'missing key' | 'invalid key';

/**
 * A revocation or a change of plan takes effect within 5 s; a key that was just looked up is taken at its word for this
 * long.
 */
const staleAfterMs = 4000;
const cachedKeysMax = 10_000;

/** Finds out who sends a request, from its `Authorization` header. */
export class Authenticator {
  private readonly keys: LRUCache<string, ApiKey>;
  /** The look-ups under way. However many there are, each is answered; a cache would give some of them up. */
  private readonly lookUps = new Map<string, Promise<ApiKey | undefined>>();
  /** How many requests wait for a look-up. */
  private waiting = 0;
  private readonly now: Clock;
  private uses = new Map<string, number>();

  constructor(
    private readonly store: KeyStore,
    private readonly tokenPrefix: string,
    private readonly clock: Clock,
    /** How many requests may wait for a look-up at a time. */
    private readonly waitingMax: number,
  ) {
    // By a clock that was set back, a key would be remembered for that much longer.
    this.now = forwardClock(clock, 2 * staleAfterMs);
    this.keys = new LRUCache({ max: cachedKeysMax, ttl: staleAfterMs, ttlResolution: 0, perf: { now: this.now } });
  }

  /**
   * Rejects with ApiError `store_unavailable` when the key cannot be looked up: an unavailable store never makes
   * a valid key invalid.
   *
   * @throws ApiError `server_busy` if too many requests wait for a look-up.
   */
  identify(authorization: string | undefined): AuthenticationResult | Promise<AuthenticationResult> {
    const token = bearerTokenOf(authorization);
    if (token === undefined) return 'missing key';
    // What is remembered had the form of a token when it was looked up.
    const known = this.keys.get(token);
    if (known !== undefined) return this.admitUse(known);
    if (!isToken(token, this.tokenPrefix)) return 'invalid key';
    if (this.waiting >= this.waitingMax) throw serverBusy();
    this.waiting += 1;
    return this.lookUp(token).then(
      (key) => {
        this.waiting -= 1;
        return this.admitUse(key);
      },
      (error: unknown) => {
        this.waiting -= 1;
        throw error;
      },
    );
  }

  /** Notes that a key is used, if it may be. */
  private admitUse(key: ApiKey | undefined): AuthenticationResult {
    const now = this.clock();
    if (key === undefined || !isUsable(key, now)) return 'invalid key';
    this.uses.set(key.id, now);
    return key;
  }

  /**
   * Requests that miss at the same time share one look-up. A key that is not there is not remembered: it may be issued
   * now.
   */
  private lookUp(token: string): Promise<ApiKey | undefined> {
    const underWay = this.lookUps.get(token);
    if (underWay !== undefined) return underWay;
    const lookUp = this.readKey(token).finally(() => this.lookUps.delete(token));
    this.lookUps.set(token, lookUp);
    return lookUp;
  }

  private async readKey(token: string): Promise<ApiKey | undefined> {
    // It may be read long before the answer is there, and is as old as that.
    const start = this.now();
    const key = await this.store.findByHash(hashToken(token));
    if (key !== undefined) this.keys.set(token, key, { start });
    return key;
  }

  /** Writes down when keys were last used since the call before. What cannot be written is kept for the next time. */
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

/**
 * What an `Authorization` header says that the key is, whether it is one or not; `undefined` where there is none (RFC
 * 6750, section 2.1).
 */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(.*)$/i.exec(authorization ?? '')?.[1];
}
