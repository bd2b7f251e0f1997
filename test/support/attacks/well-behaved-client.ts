import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** How often the client lists pets and how often it checks the health of the service, in milliseconds. */
const listIntervalMs = 25;
const healthIntervalMs = 100;
/** Every eighth request opens a new connection. */
const newConnectionEvery = 8;
/** A request without a response after this time has failed, in milliseconds. */
export const timeoutMs = 10_000;

/** What a client experienced, in milliseconds. */
export interface Experience {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  /** The slowest health check; a failed one counts with its timeout. */
  readonly healthMs: number;
}

/** A client that respects every limit, at another address. */
export class WellBehavedClient {
  private readonly agent: Agent;

  constructor(
    private readonly origin: string,
    private readonly token: string,
    private readonly localAddress: string,
  ) {
    this.agent = new Agent({ keepAlive: true, localAddress });
  }

  /** Sends requests at a constant rate for so long, however long responses take, and waits for all of them. */
  async run(durationMs: number): Promise<Experience> {
    const [lists, healthChecks] = await Promise.all([
      atIntervals(listIntervalMs, durationMs, (index) => this.list(index % newConnectionEvery === 0)),
      atIntervals(healthIntervalMs, durationMs, () => this.measure('/healthz', true)),
    ]);
    const times = lists.map((time) => time ?? timeoutMs).sort((one, other) => one - other);
    return {
      requests: lists.length,
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      failed: lists.filter((time) => time === undefined).length,
      healthMs: Math.max(...healthChecks.map((time) => time ?? timeoutMs)),
    };
  }

  close(): void {
    this.agent.destroy();
  }

  private list(onNewConnection: boolean): Promise<number | undefined> {
    return this.measure('/v1/pets', onNewConnection);
  }

  /** How long a request took to the end of its response, in milliseconds; `undefined` if it failed. */
  private measure(path: string, onNewConnection: boolean): Promise<number | undefined> {
    const { localAddress, token, agent } = this;
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const fail = () => resolve(undefined);
      const connection = onNewConnection ? { agent: false as const, localAddress } : { agent };
      const headers = { authorization: `Bearer ${token}` };
      const request = get(`${this.origin}${path}`, { ...connection, headers, timeout: timeoutMs }, (response) => {
        response.on('error', fail).on('aborted', fail).resume();
        response.once('end', () => resolve(response.statusCode === 200 ? performance.now() - startedAt : undefined));
      });
      request.on('error', fail).on('timeout', () => request.destroy());
    });
  }
}

/** The results of a call at each interval, in order, once all of them have settled. */
async function atIntervals<T>(
  intervalMs: number,
  durationMs: number,
  call: (index: number) => Promise<T>,
): Promise<T[]> {
  const calls: Promise<T>[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < durationMs; at += intervalMs) {
    await delay(startedAt + at - performance.now());
    calls.push(call(calls.length));
  }
  return Promise.all(calls);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}
