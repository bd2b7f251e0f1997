import { GroupCommit } from '../../database/group-commit.js';
import type { Clock } from '../../lib/clock.js';
import { ApiError } from '../../lib/errors.js';
import type { BanRules } from '../../openapi/document.js';
import { type Decision, decide, isIdle, minuteMs, newQuotaState, peek, type QuotaState } from '../decide.js';
import type { CounterFile } from '../file/counter-file.js';
import { clearBan, type Quota, type RunningQuotaStore, sweepIntervalMs } from '../quota-store.js';

/** How often unbans are read: operators are promised 5 s. */
const unbanIntervalMs = 2000;
/** How often the file is synced to disk: the most that a power cut can lose. */
const syncIntervalMs = 1000;
/** Maximum number of addresses. Beyond it, the half whose minutes started first is dropped. */
export const addressesMax = 100_000;

interface CountedRequest {
  readonly decision: Decision;
  /** The quota whose state has changed. */
  readonly quotaId: string | undefined;
}

/**
 * Counters in the memory of this process. With a file, this is the embedded store: the changes of quotas are also
 * written to it before `consume` resolves. Without one, `FailoverRateLimitStore` uses it during an outage. Addresses are
 * in memory only: a restart resets at most one minute of theirs.
 *
 * The decisions of an event-loop tick resolve together, so that the responses are also sent together.
 */
export class MemoryRateLimitStore implements RunningQuotaStore {
  readonly isDegraded = false;
  readonly losses = 0;
  readonly scheduledTasks = [
    { intervalMs: unbanIntervalMs, run: () => this.applyUnbans() },
    { intervalMs: syncIntervalMs, run: () => this.syncFile() },
    { intervalMs: sweepIntervalMs, run: () => this.sweep() },
  ];
  private readonly quotas: Map<string, QuotaState>;
  /** Two generations of addresses, because dropping a whole map costs nothing per address. */
  private addresses = new Map<string, QuotaState>();
  private olderAddresses = new Map<string, QuotaState>();
  private rotatedAt = 0;
  private readonly requests: GroupCommit<CountedRequest, Decision>;
  /** The quotas whose last changes are missing in the file. */
  private readonly pending = new Set<string>();

  constructor(
    private readonly rules: BanRules,
    private readonly clock: Clock,
    /** Receives internal errors. An unavailable file fails no request: the counters in memory are used. */
    private readonly report: (error: unknown) => void,
    private readonly file?: CounterFile,
  ) {
    this.quotas = new Map(file?.states);
    this.requests = new GroupCommit((requests) => {
      this.write(requests.flatMap(({ quotaId }) => quotaId ?? []));
      return Promise.resolve(requests.map(({ decision }) => decision));
    });
    this.clearBans(file?.pendingUnbans() ?? []);
  }

  consume({ kind, id, limits }: Quota): Promise<Decision> {
    const now = this.clock();
    if (kind === 'address') {
      const decision = decide(this.addressState(id, now), limits, undefined, now);
      return this.requests.add({ decision, quotaId: undefined });
    }
    const state = this.quotaState(id);
    const isBanned = now < state.bannedUntil;
    const decision = decide(state, limits, this.rules, now);
    // A request during a ban changes nothing that has to be written.
    return this.requests.add({ decision, quotaId: isBanned ? undefined : id });
  }

  peek({ kind, id, limits }: Quota): Promise<Decision> {
    const state = (kind === 'address' ? this.findAddress(id) : this.quotas.get(id)) ?? newQuotaState();
    return Promise.resolve(peek(state, limits, this.clock()));
  }

  /** Counts a quota in a state of another store, in place. */
  setState(id: string, state: QuotaState): void {
    this.quotas.set(id, state);
  }

  get addressCount(): number {
    return this.addresses.size + this.olderAddresses.size;
  }

  /** Applies the unbans of operators. */
  applyUnbans(): void {
    const ids = this.file?.pendingUnbans() ?? [];
    if (ids.length > 0) this.file?.completeUnbans(ids, this.clearBans(ids));
  }

  /** Writes what could not be written before, and syncs the file to disk. */
  async syncFile(): Promise<void> {
    this.writePending();
    await this.file?.sync();
  }

  /** Deletes the states of quotas that no longer affect a decision. */
  sweep(): void {
    const now = this.clock();
    const idle = [...this.quotas].filter(([, state]) => isIdle(state, this.rules, now)).map(([id]) => id);
    for (const id of idle) {
      this.quotas.delete(id);
      this.pending.delete(id);
    }
    this.file?.remove(idle);
  }

  async close(): Promise<void> {
    await this.requests.idle();
    this.writePending();
  }

  /** @returns the states of these quotas. */
  private clearBans(ids: readonly string[]): ReadonlyMap<string, QuotaState> {
    const states = new Map([...this.quotas].filter(([id]) => ids.includes(id)));
    for (const state of states.values()) clearBan(state);
    return states;
  }

  private quotaState(id: string): QuotaState {
    const existing = this.quotas.get(id);
    if (existing !== undefined) return existing;
    const created = newQuotaState();
    this.quotas.set(id, created);
    return created;
  }

  private addressState(id: string, now: number): QuotaState {
    const existing = this.findAddress(id);
    if (existing !== undefined && now < existing.minuteStartedAt + minuteMs) return existing;
    if (this.addresses.size >= addressesMax / 2 || now >= this.rotatedAt + minuteMs) this.rotateAddresses(now);
    const created = newQuotaState();
    this.addresses.set(id, created);
    return created;
  }

  private findAddress(id: string): QuotaState | undefined {
    return this.addresses.get(id) ?? this.olderAddresses.get(id);
  }

  /** Drops the older generation. A rotation after a minute drops no address whose minute is still open. */
  private rotateAddresses(now: number): void {
    this.olderAddresses = this.addresses;
    this.addresses = new Map();
    this.rotatedAt = now;
  }

  private writePending(): void {
    this.write([...this.pending]);
  }

  /** Writes the states of quotas to the file. If that fails, they stay pending. */
  private write(ids: readonly string[]): void {
    if (ids.length === 0) return;
    try {
      this.file?.write(new Map(ids.map((id) => [id, this.quotaState(id)])));
      for (const id of ids) this.pending.delete(id);
    } catch (error) {
      for (const id of ids) this.pending.add(id);
      if (!(error instanceof ApiError)) this.report(error);
    }
  }
}
