import { expect } from 'chai';
import type { Acknowledged } from './creating-client.js';

/** The response to a request, and its duration. */
export interface RequestResult {
  readonly status: number;
  readonly ms: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * The service rejects a creation within a second, and recovers within five seconds after the end of an outage; in
 * milliseconds.
 */
const rejectedWithinMs = 1000;
const recoveredWithinMs = 5000;
/** Additional time on a busy machine. */
const slackMs = 500;

/** Sends requests to a server during an outage, and records what it has acknowledged. */
export class OutageClient {
  readonly acknowledged = new Map<number, Acknowledged>();
  private created = 0;

  constructor(
    private baseUrl: string,
    private readonly token: string,
  ) {}

  /** Continues with a server that was restarted. */
  at(baseUrl: string): this {
    this.baseUrl = baseUrl;
    return this;
  }

  async create(): Promise<RequestResult> {
    this.created += 1;
    const pet = { name: `pet ${String(this.created)}`, categoryId: this.created, status: 'sold' };
    const result = await this.sendRequest({ method: 'POST', body: JSON.stringify(pet) });
    const { id } = result.body as Acknowledged;
    if (result.status === 201) this.acknowledged.set(id, { id, ...pet });
    return result;
  }

  list(): Promise<RequestResult> {
    return this.sendRequest({}, '?limit=100');
  }

  async createMany(count: number): Promise<void> {
    const results = await Promise.all(Array.from({ length: count }, () => this.create()));
    expect(new Set(results.map(({ status }) => status))).to.deep.equal(new Set([201]));
  }

  /** Creates pets until the service rejects one, which must be a 503 with Retry-After, in time. */
  async createUntilRejected(): Promise<void> {
    let result = await this.create();
    for (let tries = 0; result.status === 201 && tries < 1000; tries += 1) result = await this.create();
    expectUnavailable(result);
  }

  /** Creates a pet every 100 ms until the service accepts it. Until then each is rejected in time. */
  async createUntilAcknowledged(): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const result = await this.create();
      if (result.status === 201) return;
      expectUnavailable(result);
      expect(performance.now() - startedAt, 'ms until it recovers').to.be.below(recoveredWithinMs + slackMs);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private async sendRequest(init: RequestInit, query = ''): Promise<RequestResult> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const startedAt = performance.now();
    const response = await fetch(`${this.baseUrl}/pets${query}`, { ...init, headers });
    const body = await response.json();
    return { status: response.status, ms: performance.now() - startedAt, headers: response.headers, body };
  }
}

function expectUnavailable({ status, ms, headers, body }: RequestResult): void {
  expect(body).to.deep.equal({
    code: 'store_unavailable',
    message: 'The storage is unavailable. Retry after the time in Retry-After.',
    status: 503,
  });
  expect([status, headers.get('retry-after')]).to.deep.equal([503, '1']);
  expect(ms, 'ms until it is rejected').to.be.below(rejectedWithinMs + slackMs);
}
