import { forgiven, type LimitLedger } from '../../domain/limit-store.js';
import type { BudgetState } from '../../domain/limits.js';
import { storeUnavailable } from '../../domain/refusal.js';
import { limitKey } from './limit-key.js';
import { readState } from './limit-scripts.js';
import { reasonOf } from './reason.js';
import { RedisConnection } from './redis-connection.js';
import type { RedisTarget } from './redis-target.js';

/** How long an operator waits for an answer, in milliseconds. */
const answerTimeoutMs = 2000;

/** The counters in Redis as an operator sees them. Each question has a connection of its own, and none is there where nobody asks. */
export class RedisLimitLedger implements LimitLedger {
  constructor(private readonly target: RedisTarget) {}

  usage(budgetIds: Iterable<string>): Promise<ReadonlyMap<string, BudgetState>> {
    const ids = [...budgetIds];
    return this.ask(async (connection) => {
      const texts = await Promise.all(ids.map((id) => connection.get(limitKey({ kind: 'budget', id }))));
      return new Map(texts.flatMap((text, index) => (text === null ? [] : [[ids[index] ?? '', readState(text)]])));
    });
  }

  /** Every node follows with the next request. */
  pardon(budgetId: string): Promise<void> {
    const key = limitKey({ kind: 'budget', id: budgetId });
    return this.ask((connection) => connection.pardon(key, JSON.stringify(forgiven)));
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
