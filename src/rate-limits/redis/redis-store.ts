import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createBatchLoader } from '../../database/batch-loader.js';
import type { Clock } from '../../lib/clock.js';
import { withTimeout } from '../../lib/timeout.js';
import type { BanRules } from '../../openapi/document.js';
import { type Decision, dayMs, type Limits, minuteMs, peek, type QuotaState, toDecision } from '../decide.js';
import { clearedBan, type Quota, type QuotaStore } from '../quota-store.js';
import { decideAgain, type KnownQuota, restoreQuota } from '../restore-quota.js';
import type { KnownQuotas } from './known-quotas.js';
import type { RedisConnection } from './redis-connection.js';
import { dataSetKey, parseDataSet, redisKey, type ScriptDecision } from './scripts.js';

/** Without limits, the request is not counted: the known state is only merged into the stored one. */
type DecisionRequest = Pick<Quota, 'kind' | 'id'> & { readonly limits?: Limits; readonly known?: KnownQuota };

/** How long a request that was allowed on a lost state waits until other nodes have written back, in milliseconds. */
const restoreWait = { pauseMs: 50, timeoutMs: 95 };

/** Maximum number of requests per call of the script, during which Redis does nothing else. */
const batchSizeMax = 100;

const clearedBanText = JSON.stringify(clearedBan);

/**
 * The counters of any number of nodes: one key per quota and per address, with an expiry. One call of a script in Redis
 * decides about all requests of an event-loop tick, by the clock of Redis; in a cluster, one call per key. The known
 * state of a quota is sent along if Redis may have lost it. Methods reject if Redis does not respond in time.
 */
export class RedisRateLimitStore implements QuotaStore {
  private dataSetText: string | undefined;
  readonly decide = createBatchLoader((requests: readonly DecisionRequest[]) => this.decideAll(requests), {
    maxBatchSize: batchSizeMax,
  });
  private readonly restoredStates = new Map<string, Promise<QuotaState>>();

  constructor(
    private readonly connection: RedisConnection,
    private readonly rules: BanRules,
    private readonly known: KnownQuotas,
    /** For tests, instead of the clock of Redis. */
    private readonly clock?: Clock,
  ) {}

  async consume(client: Quota): Promise<Decision> {
    return client.kind === 'quota' ? this.decideQuota(client) : decisionOf(await this.decide(client), client.limits);
  }

  async peek(client: Quota): Promise<Decision> {
    const { state, now } = await this.connection.peek(redisKey(client), this.time);
    return peek(state, client.limits, now);
  }

  /** Writes back the known state of a quota, unless it was sent in this epoch. */
  async restore(id: string): Promise<void> {
    const known = this.known.takeUnsent(id);
    if (known === undefined) return;
    const decision = await this.decide({ kind: 'quota', id, known });
    this.known.findLost(id, decision);
    this.known.store(id, decision);
  }

  /**
   * Reads the data set, and creates it if it is missing. @throws if Redis rejects writes or could not decide about a
   * request.
   */
  async probe(): Promise<void> {
    const [dataSet] = await Promise.all([
      this.connection.readDataSet(dataSetKey, randomUUID(), String(minuteMs)),
      // Stores nothing, but loads the script, so that no request waits for that.
      this.decide({ kind: 'address', id: 'probe' }),
    ]);
    this.known.applyDataSet(dataSet);
  }

  /** Polls the data set: detects a loss and applies unbans, also for quotas without requests. */
  async pollDataSet(): Promise<void> {
    const text = await this.connection.get(dataSetKey);
    if (text === null) return this.probe();
    if (text !== this.dataSetText) this.known.applyDataSet(parseDataSet(text));
    this.dataSetText = text;
  }

  close(): void {
    this.connection.close();
  }

  private async decideQuota(client: Quota): Promise<Decision> {
    const { id, limits } = client;
    const known = this.known.takeUnsent(id);
    const decision = await this.decide(known === undefined ? client : { ...client, known });
    const lost = this.known.findLost(id, decision);
    if (lost === undefined || known !== undefined) this.known.store(id, decision);
    // A rejection is final: the restored state has more requests, not fewer.
    else if (decision.rejectedBy === undefined) return this.decideAgain(client, decision, lost);
    return decisionOf(decision, limits);
  }

  private async decideAll(requests: readonly DecisionRequest[]): Promise<readonly ScriptDecision[]> {
    if (!this.connection.isCluster) return this.callConsume(requests);
    const groups = new Map<string, DecisionRequest[]>();
    for (const request of requests) {
      const key = redisKey(request);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [request]);
      else group.push(request);
    }
    const decide = async ([key, group]: [string, DecisionRequest[]]) => [key, await this.callConsume(group)] as const;
    const decided = new Map(await Promise.all([...groups].map(decide)));
    return requests.map((request) => decided.get(redisKey(request))?.shift() as ScriptDecision);
  }

  /** The arguments are those of `consume.lua`, in order. */
  private callConsume(requests: readonly DecisionRequest[]): Promise<ScriptDecision[]> {
    const { abusedMinuteFactor, abusedMinutesInARow, firstBanSeconds, longestBanSeconds, rememberedSeconds } =
      this.rules;
    const bans = [abusedMinuteFactor, abusedMinutesInARow, firstBanSeconds, longestBanSeconds, rememberedSeconds];
    return this.connection.consume(
      requests.map(redisKey),
      this.time,
      ...[minuteMs, dayMs, ...bans].map(String),
      clearedBanText,
      ...requests.flatMap(({ kind, limits, known }) => [
        kind,
        String(limits?.requestsPerMinute ?? ''),
        String(limits?.requestsPerDay ?? ''),
        known === undefined ? '' : JSON.stringify(known),
      ]),
    );
  }

  /** Repeats the decision about a request that was allowed on a lost state. */
  private async decideAgain(
    { id, limits }: Quota,
    { state, now }: ScriptDecision,
    known: QuotaState,
  ): Promise<Decision> {
    const restored = await this.readRestoredState(id).catch(() => {
      const own = { ...state };
      restoreQuota(own, { state: known, unsent: { minute: 0, day: 0 } }, now);
      return own;
    });
    return decideAgain(state, restored, limits, now);
  }

  /** The state of a quota after the nodes have had time to write back. */
  private readRestoredState(id: string): Promise<QuotaState> {
    const existing = this.restoredStates.get(id);
    if (existing !== undefined) return existing;
    const readRestored = async () => {
      await this.restore(id);
      await delay(restoreWait.pauseMs, undefined, { ref: false });
      return (await this.connection.peek(redisKey({ kind: 'quota', id }), this.time)).state;
    };
    const created = withTimeout(readRestored(), restoreWait.timeoutMs).finally(() => this.restoredStates.delete(id));
    this.restoredStates.set(id, created);
    return created;
  }

  private get time(): string {
    return this.clock === undefined ? '' : String(this.clock());
  }
}

function decisionOf({ state, now, rejectedBy, beginsBan }: ScriptDecision, limits: Limits): Decision {
  const decision = toDecision(state, limits, now, rejectedBy);
  return beginsBan ? { ...decision, beginsBan } : decision;
}
