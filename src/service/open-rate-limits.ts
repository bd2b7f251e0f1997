import type { RedisTarget } from '../database/redis/redis-target.js';
import type { Clock } from '../lib/clock.js';
import type { BanRules } from '../openapi/document.js';
import { MemoryRateLimitStore } from '../rate-limits/memory/memory-store.js';
import type { RateLimitStore, UsageAdministration } from '../rate-limits/rate-limit-store.js';
import type { SqliteRateLimitJournal } from '../rate-limits/sqlite/journal.js';

/** How often the server looks whether an operator lifted a ban, in milliseconds: he is promised 5 s. */
const operatorIntervalMs = 2000;
/**
 * How often it is seen that the counters are where they should be, in milliseconds. It bounds what a power cut may cost
 * of them.
 */
const tendIntervalMs = 1000;
/** How often budgets that are not used any more are forgotten, in milliseconds. */
const sweepIntervalMs = 10 * 60_000;

/** Where requests are counted, as commands and servers find it. */
export interface Counters {
  readonly administration: UsageAdministration;
  /** Begins to count. For a server. */
  start(dependencies: CounterDependencies): Promise<RunningCounters>;
  /** Gives up what is open, also what was started. */
  close(): void;
}

export interface CounterDependencies {
  readonly rules: BanRules;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  /** Told how many budgets share each write, where they are written. */
  readonly onGroup: ((size: number) => void) | undefined;
}

export interface RunningCounters {
  readonly store: RateLimitStore;
  /** Whether the counters are shared and out of reach, so that this node counts by itself. */
  readonly isDegraded: boolean;
  /** How many losses of the shared counters were detected. */
  readonly losses: number;
  /** What is to be done for them now and then. */
  readonly scheduledTasks: readonly { readonly intervalMs: number; readonly run: () => unknown }[];
  /** Resolves when everything is written that can be. */
  close(): Promise<void>;
}

/** The counters of a server alone: in its memory, and in a journal, which whoever opened it closes. */
export function embeddedCounters(journal: SqliteRateLimitJournal): Counters {
  return {
    administration: journal,
    start: ({ rules, clock, report, onGroup }) => {
      const store = new MemoryRateLimitStore(rules, clock, journal, report, onGroup);
      const running: RunningCounters = {
        store,
        isDegraded: false,
        losses: 0,
        scheduledTasks: [
          { intervalMs: operatorIntervalMs, run: () => store.applyUnbans() },
          {
            intervalMs: tendIntervalMs,
            run: async () => {
              await store.writePending();
              await journal.sync();
            },
          },
          { intervalMs: sweepIntervalMs, run: () => store.sweep() },
        ],
        close: () => store.close(),
      };
      return Promise.resolve(running);
    },
    close: () => undefined,
  };
}

/** The counters that any number of servers share. The client of Redis is loaded by whoever asks it something. */
export function sharedCounters(target: RedisTarget): Counters {
  const openLedger = async () => {
    const { RedisUsageAdministration } = await import('../rate-limits/redis/usage-administration.js');
    return new RedisUsageAdministration(target);
  };
  let started: { close(): Promise<void> } | undefined;
  return {
    administration: {
      usage: async (quotaIds) => (await openLedger()).usage(quotaIds),
      unban: async (quotaId) => (await openLedger()).unban(quotaId),
    },
    start: async ({ rules, clock, report }) => {
      const { FailoverRateLimitStore } = await import('../rate-limits/redis/failover-store.js');
      const { pollIntervalMs } = await import('../rate-limits/redis/scripts.js');
      const store = new FailoverRateLimitStore(target, rules, clock, report);
      started = store;
      await store.start();
      return {
        store,
        get isDegraded() {
          return store.isLocal;
        },
        get losses() {
          return store.losses;
        },
        scheduledTasks: [
          { intervalMs: pollIntervalMs, run: () => store.pollDataSet() },
          { intervalMs: tendIntervalMs, run: () => store.checkRecovery() },
          { intervalMs: sweepIntervalMs, run: () => store.sweep() },
        ],
        close: () => store.close(),
      };
    },
    close: () => void started?.close(),
  };
}
