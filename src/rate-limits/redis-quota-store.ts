import { createBatchLoader } from '../database/batch-loader.js';
import type { Clock } from '../lib/clock.js';
import { productName } from '../lib/product.js';
import { withTimeout } from '../lib/timeout.js';
import type { BanRule } from '../openapi/document.js';
import { type Decision, resetFields, toDecision } from './decide.js';
import type { Quota, QuotaStore } from './quota-store.js';
import { connectRedis, type RedisConnection } from './redis-client.js';
import type { RedisTarget } from './redis-target.js';

interface QuotaRequest {
  readonly quota: Quota;
  readonly isCounted: boolean;
}

/** Maximum number of requests per call of the script, during which Redis does nothing else. */
const batchSizeMax = 100;

/**
 * The quotas of any number of nodes in Redis: one hash per quota, with an expiry. One call of a script decides about
 * all requests of an event-loop tick, by the clock of Redis; in a cluster, about one request, because a call may use
 * the keys of one slot only. Methods reject if Redis does not respond in time.
 */
export class RedisQuotaStore implements QuotaStore {
  private readonly load: (request: QuotaRequest) => Promise<Decision>;

  constructor(
    private readonly connection: RedisConnection,
    private readonly rule: BanRule,
    private readonly timeoutMs: number,
    /** For tests, instead of the clock of Redis. */
    private readonly clock?: Clock,
  ) {
    const maxBatchSize = 'masters' in connection.client ? 1 : batchSizeMax;
    this.load = createBatchLoader((requests: readonly QuotaRequest[]) => this.callScript(requests), { maxBatchSize });
  }

  /** @param onLost is called when the connection is lost. @throws Error if the connection fails or times out. */
  static async open(
    target: RedisTarget,
    rule: BanRule,
    timeoutMs: number,
    onLost: (error: Error) => void = () => undefined,
  ): Promise<RedisQuotaStore> {
    return new RedisQuotaStore(await connectRedis(target, onLost), rule, timeoutMs);
  }

  consume(quota: Quota): Promise<Decision> {
    return this.load({ quota, isCounted: true });
  }

  peek(quota: Quota): Promise<Decision> {
    return this.load({ quota, isCounted: false });
  }

  async reset(id: string): Promise<void> {
    await withTimeout(this.connection.client.hDel(keyOf(id), Object.keys(resetFields)), this.timeoutMs);
  }

  /** Rejects the commands in progress. */
  close(): Promise<void> {
    this.connection.close();
    return Promise.resolve();
  }

  private async callScript(requests: readonly QuotaRequest[]): Promise<Decision[]> {
    const { rejectedRequestsFactor, seconds } = this.rule;
    const keys = requests.map(({ quota: { id } }) => keyOf(id));
    const args = requests.flatMap(({ quota: { limits }, isCounted }) => {
      return [limits.requestsPerMinute, limits.requestsPerDay, Number(isCounted)];
    });
    const common = [this.clock?.() ?? '', rejectedRequestsFactor, seconds * 1000];
    const reply = await withTimeout(this.connection.client.consume(keys, [...common, ...args]), this.timeoutMs);
    return requests.map(({ quota }, index) => readDecision((reply as unknown[] | null)?.[index], quota));
  }
}

/** @throws TypeError for anything else than the reply of the script. */
function readDecision(reply: unknown, { limits }: Quota): Decision {
  if (!Array.isArray(reply) || reply.length !== 9 || !reply.every(Number.isSafeInteger))
    throw new TypeError('unexpected reply');
  const [now, isRejected, beginsBan, minuteStartedAt, minuteUsed, minuteRejected, dayStartedAt, dayUsed, bannedUntil] =
    reply as [number, number, number, number, number, number, number, number, number];
  const state = { minuteStartedAt, minuteUsed, minuteRejected, dayStartedAt, dayUsed, bannedUntil };
  return toDecision(state, limits, now, isRejected === 1, beginsBan === 1);
}

function keyOf(quotaId: string): string {
  return `${productName}:quotas:${quotaId}`;
}
