import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RedisTarget } from '../../database/redis/redis-target.js';
import { reasonOf, storeUnavailable } from '../../lib/errors.js';
import { dayMs, minuteMs, type QuotaState } from '../decide.js';
import { clearedBan, type UsageAdministration } from '../quota-store.js';
import { RedisConnection } from './redis-connection.js';
import { dataSetKey, pollIntervalMs, redisKey } from './scripts.js';

/** Timeout of each command, in milliseconds. */
const responseTimeoutMs = 2000;
/** Maximum number of attempts, if Redis loses an unban before every node has read it. */
const unbansMax = 3;

/** The counters in Redis, for operators. Each call opens a separate connection. */
export class RedisUsageAdministration implements UsageAdministration {
  constructor(private readonly target: RedisTarget) {}

  usage(quotaIds: Iterable<string>): Promise<ReadonlyMap<string, QuotaState>> {
    return this.connect(async (connection) => {
      const states = [...quotaIds].map(async (id) => {
        const { state } = await connection.peek(redisKey({ kind: 'quota', id }), '');
        return [id, state] as const;
      });
      return new Map(await Promise.all(states));
    });
  }

  /**
   * Takes effect on every node with its next request. Resolves after every node has polled the data set, so that none
   * writes the ban back if Redis loses the unban.
   */
  unban(quotaId: string): Promise<void> {
    const key = redisKey({ kind: 'quota', id: quotaId });
    return this.connect(async (connection) => {
      for (let unbans = 0; unbans < unbansMax; unbans += 1) {
        const unbannedAt = await connection.unban(key, '', JSON.stringify(clearedBan), String(dayMs));
        await connection.readDataSet(dataSetKey, randomUUID(), String(minuteMs), quotaId, String(unbannedAt));
        await delay(4 * pollIntervalMs);
        const { state } = await connection.peek(key, '');
        if (state.unbannedAt >= unbannedAt) return;
      }
      throw new Error('it keeps losing counters');
    });
  }

  /** @throws ApiError `store_unavailable` */
  private async connect<T>(use: (connection: RedisConnection) => Promise<T>): Promise<T> {
    let connection: RedisConnection | undefined;
    try {
      connection = await RedisConnection.open(this.target, responseTimeoutMs);
      return await use(connection);
    } catch (error) {
      throw storeUnavailable(new Error(`Redis at ${this.target.description}: ${reasonOf(error)}`));
    } finally {
      connection?.close();
    }
  }
}
