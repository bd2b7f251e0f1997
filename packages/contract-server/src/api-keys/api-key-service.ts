import type { PlanLimits, Plans } from '@contract-server/core/contract/document.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { CommandError, StartError, UsageError } from '@contract-server/core/lib/errors.js';
import {
  type ApiKey,
  createKey,
  isUsable,
  type KeyStore,
  type PlanChange,
  type StoredQuota,
  toLimits,
} from './api-key.js';
import { createToken, hashToken, randomText } from './token.js';

/** Limits that an operator gives. A custom plan requires both. */
export type GivenLimits = Readonly<Record<keyof PlanLimits, number | undefined>>;

export interface NewKey {
  readonly name: string;
  readonly plan: string;
  /** Required for a custom plan; `undefined` for others. */
  readonly limits: GivenLimits | undefined;
  /** Unix milliseconds. */
  readonly expiresAt: number | undefined;
}

/** Changes of a key. An `expiresAt` of `undefined` removes the expiry. */
export type KeyUpdate = Partial<NewKey>;

/** A new key with its secret, which is not stored. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly token: string;
}

/** Manages keys for operators. Throws a `CommandError` for an unknown key or an invalid change. */
export class ApiKeyService {
  constructor(
    private readonly store: KeyStore,
    private readonly plans: Plans,
    private readonly tokenPrefix: string,
    private readonly clock: Clock,
    /** The name of the command, for messages. */
    private readonly command: string,
  ) {}

  async create({ name, plan, limits, expiresAt }: NewKey): Promise<IssuedKey> {
    const change = this.requirePlan(plan, limits);
    this.requireFuture(expiresAt);
    const issued = this.issue(name, { id: `quota_${randomText(12)}`, ...change }, expiresAt);
    await this.store.insert({ key: issued.key, tokenHash: hashToken(issued.token) });
    return issued;
  }

  /** Every key in order of creation. */
  list(): Promise<readonly ApiKey[]> {
    return this.store.list();
  }

  /** A change of plan applies to every key that shares the quota. */
  async update(id: string, { plan, limits, ...changes }: KeyUpdate): Promise<ApiKey> {
    const { quota } = await this.requireKey(id);
    this.requireFuture(changes.expiresAt);
    const isPlanChanged = plan !== undefined || limits !== undefined;
    const planChange = isPlanChanged && { plan: this.requirePlan(plan ?? quota.plan, limits) };
    await this.store.update(id, { ...changes, ...planChange });
    return this.requireKey(id);
  }

  /** Issues a successor with the same quota. The key itself expires after `overlapMs`, or earlier if it does so. */
  async rotate(id: string, overlapMs: number): Promise<IssuedKey & { readonly predecessorExpiresAt: number }> {
    const key = await this.requireKey(id);
    const now = this.clock();
    if (!isUsable(key, now)) throw new CommandError(`The key ${id} is revoked or expired; create another one.`);
    const predecessorExpiresAt = Math.min(now + overlapMs, key.expiresAt ?? Infinity);
    const issued = this.issue(key.name, key.quota, key.expiresAt);
    const isRotated = await this.store.rotate(id, predecessorExpiresAt, issued.key, hashToken(issued.token));
    if (!isRotated) throw new CommandError(`The key ${id} already has a successor; rotate the successor.`);
    return { ...issued, predecessorExpiresAt };
  }

  async revoke(id: string): Promise<ApiKey> {
    const key = await this.requireKey(id);
    if (key.revokedAt === undefined) await this.store.update(id, { revokedAt: this.clock() });
    return this.requireKey(id);
  }

  /** @throws StartError if requests of a usable key would have no limits, because the contract has changed. */
  async requireLimits(): Promise<void> {
    const plans: Readonly<Record<string, Plans[string]>> = this.plans;
    const counts = await this.store.countUsable(this.clock());
    const limitless = counts.filter(({ plan, hasLimits }) => {
      const rule = Object.hasOwn(plans, plan) ? plans[plan] : undefined;
      return rule === undefined || (rule === 'custom' && !hasLimits);
    });
    if (limitless.length === 0) return;
    const names = limitless.map(({ plan, keys }) => `${plan} (${String(keys)})`).join(', ');
    throw new StartError(
      `The contract has no limits for the plans of active API keys: ${names}. Restore the plans, or change the keys ` +
        `with \`${this.command} keys update <id> --plan <plan>\`.`,
    );
  }

  /** @throws CommandError for an unknown key. */
  async requireKey(id: string): Promise<ApiKey> {
    const key = await this.store.find(id);
    if (key === undefined)
      throw new CommandError(`No key has the id ${id}. List the keys with \`${this.command} keys list\`.`);
    return key;
  }

  private issue(name: string, quota: StoredQuota, expiresAt: number | undefined): IssuedKey {
    const key = createKey({ id: `key_${randomText(12)}`, name, quota, createdAt: this.clock(), expiresAt });
    return { key, token: createToken(this.tokenPrefix) };
  }

  /** A custom plan requires both limits, every other plan allows none. */
  private requirePlan(plan: string, limits: GivenLimits | undefined): PlanChange {
    const isCustom = this.plans[plan] === 'custom';
    const missing = isCustom ? missingOptions(limits) : [];
    if (missing.length > 0)
      throw new UsageError(
        `Missing ${missing.join(' and ')}: the plan ${plan} requires limits per minute and per day.`,
      );
    if (!isCustom && limits !== undefined)
      throw new UsageError(
        `Invalid --per-minute and --per-day: the limits of the plan ${plan} are fixed; leave them out.`,
      );
    return { plan, limits: toLimits(limits?.requestsPerMinute, limits?.requestsPerDay) };
  }

  private requireFuture(expiresAt: number | undefined): void {
    if (expiresAt !== undefined && expiresAt <= this.clock())
      throw new UsageError('Invalid --expires: the time must be in the future.');
  }
}

/** The options of a custom plan that are not given. */
function missingOptions(limits: GivenLimits | undefined): string[] {
  const options = { '--per-minute': limits?.requestsPerMinute, '--per-day': limits?.requestsPerDay };
  return Object.entries(options).flatMap(([option, value]) => (value === undefined ? [option] : []));
}
