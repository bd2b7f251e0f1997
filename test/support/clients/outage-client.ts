import { expect } from 'chai';
import type { Acknowledged } from './creating-client.js';

/** What became of a request, and how long that took. */
export interface Outcome {
  readonly status: number;
  readonly ms: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * The service refuses a creation within a second, and recovers within five once the cause of the trouble is gone; in
 * milliseconds.
 */
const refusedWithinMs = 1000;
const recoveredWithinMs = 5000;
/** How much longer everything may take on a busy machine. */
const slackMs = 500;

/** Sends requests to a server during an outage, and records what it has acknowledged. */
export class TroubledClient {
  readonly acknowledged = new Map<number, Acknowledged>();
  private created = 0;

  constructor(
    private baseUrl: string,
    private readonly token: string,
  ) {}

  /** The same client, of a server that was started again. */
  at(baseUrl: string): this {
    this.baseUrl = baseUrl;
    return this;
  }

  async create(): Promise<Outcome> {
    this.created += 1;
    const pet = { name: `animal ${String(this.created)}`, categoryId: this.created, status: 'sold' };
    const outcome = await this.ask({ method: 'POST', body: JSON.stringify(pet) });
    const { id } = outcome.body as Acknowledged;
    if (outcome.status === 201) this.acknowledged.set(id, { id, ...pet });
    return outcome;
  }

  list(): Promise<Outcome> {
    return this.ask({}, '?limit=100');
  }

  async createMany(count: number): Promise<void> {
    const outcomes = await Promise.all(Array.from({ length: count }, () => this.create()));
    expect(new Set(outcomes.map(({ status }) => status))).to.deep.equal(new Set([201]));
  }

  /** Creates until the service refuses to, which it must do with a 503 that says when to come back, in time. */
  async createUntilRefused(): Promise<void> {
    let outcome = await this.create();
    for (let tries = 0; outcome.status === 201 && tries < 1000; tries += 1) outcome = await this.create();
    expectUnavailable(outcome);
  }

  /** Creates now and then until the service takes it again. Meanwhile every creation is refused in time. */
  async createUntilAcknowledged(): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const outcome = await this.create();
      if (outcome.status === 201) return;
      expectUnavailable(outcome);
      expect(performance.now() - startedAt, 'ms until it recovers').to.be.below(recoveredWithinMs + slackMs);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private async ask(init: RequestInit, query = ''): Promise<Outcome> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const startedAt = performance.now();
    const response = await fetch(`${this.baseUrl}/pets${query}`, { ...init, headers });
    const body = await response.json();
    return { status: response.status, ms: performance.now() - startedAt, headers: response.headers, body };
  }
}

function expectUnavailable({ status, ms, headers, body }: Outcome): void {
  expect(body).to.deep.equal({
    code: 'store_unavailable',
    message: 'The storage does not answer for the moment. Retry after the time given in Retry-After.',
    status: 503,
  });
  expect([status, headers.get('retry-after')]).to.deep.equal([503, '1']);
  expect(ms, 'ms until it is refused').to.be.below(refusedWithinMs + slackMs);
}
