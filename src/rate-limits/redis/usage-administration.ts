import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '../../database/redis/reason.js';
import type { RedisTarget } from '../../database/redis/redis-target.js';
import { storeUnavailable } from '../../openapi/api-error.js';
import { type BudgetState, dayMs, minuteMs } from '../decide.js';
import { forgiven, type LimitLedger } from '../rate-limit-store.js';
import { limitKey, noticeIntervalMs, noticeKey } from './keys.js';
import { RedisConnection } from './redis-connection.js';

/** How long an operator waits for an answer, in milliseconds. */
const answerTimeoutMs = 2000;
/** How often an unban is attempted, if Redis loses it before every node has read it. */
const unbansMax = 3;

/**
 * The counters in Redis as an operator sees them. Each question has a connection of its own, and none is there where
 * nobody asks.
 */
export class RedisLimitLedger implements LimitLedger {
  constructor(private readonly target: RedisTarget) {}

  usage(budgetIds: Iterable<string>): Promise<ReadonlyMap<string, BudgetState>> {
    return this.ask(async (connection) => {
      const states = [...budgetIds].map(async (id) => {
        const { state } = await connection.peek(limitKey({ kind: 'budget', id }), '');
        return [id, state] as const;
      });
      return new Map(await Promise.all(states));
    });
  }

  /**
   * Takes effect on every node with its next request. Resolves after every node has polled the notice, so that none of
   * them writes the ban back if Redis loses the unban.
   */
  pardon(budgetId: string): Promise<void> {
    const key = limitKey({ kind: 'budget', id: budgetId });
    return this.ask(async (connection) => {
      for (let unbans = 0; unbans < unbansMax; unbans += 1) {
        const unbannedAt = await connection.unban(key, '', JSON.stringify(forgiven), String(dayMs));
        await connection.notice(noticeKey, randomUUID(), String(minuteMs), budgetId, String(unbannedAt));
        await delay(4 * noticeIntervalMs);
        const { state } = await connection.peek(key, '');
        if (state.unbannedAt >= unbannedAt) return;
      }
      throw new Error('it loses counters again and again');
    });
  }

  /** @throws Refusal `store_unavailable` */
  private async ask<T>(question: (connection: RedisConnection) => Promise<T>): Promise<T> {
    let connection: RedisConnection | undefined;
    try {
      connection = await RedisConnection.open(this.target, answerTimeoutMs);
      return await question(connection);
    } catch (error) {
      throw storeUnavailable(new Error(`Redis at ${this.target.description}: ${reasonOf(error)}`));
    } finally {
      connection?.close();
    }
  }
}
