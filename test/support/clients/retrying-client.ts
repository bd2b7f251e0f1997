import { setTimeout as delay } from 'node:timers/promises';
import type { Acknowledged } from './creating-client.js';

/**
 * How long it waits after a 503, in milliseconds: less than `Retry-After`, for more requests.
 */
const pauseMs = 50;

/** The address of a server that is killed and restarted, which differs each time. */
export class Whereabouts {
  private settle: (baseUrl: string) => void = () => undefined;
  private found: Promise<string>;

  constructor() {
    this.found = this.lost();
  }

  /** Until the next `find`, `baseUrl` waits. */
  lose(): void {
    this.found = this.lost();
  }

  find(baseUrl: string): void {
    this.settle(baseUrl);
  }

  baseUrl(): Promise<string> {
    return this.found;
  }

  private lost(): Promise<string> {
    return new Promise((resolve) => (this.settle = resolve));
  }
}

/**
 * Creates one pet after the other, each with its own Idempotency-Key, and retries each request, at the current address
 * of the server, until it receives a response.
 */
export class RetryingClient {
  readonly acknowledged: Acknowledged[] = [];
  /** Number of replayed responses. */
  replays = 0;
  /** Number of 503 responses. */
  apiErrors = 0;
  private isStopped = false;

  constructor(
    private readonly name: string,
    private readonly whereabouts: Whereabouts,
    private readonly token: string,
    private readonly onAcknowledged: () => void,
  ) {}

  /** Resolves when it is stopped and has received its last response. @throws for a response other than 201 and 503. */
  async run(): Promise<void> {
    for (let index = 0; !this.isStopped; index += 1) {
      await this.create({ name: `${this.name}-${String(index)}`, categoryId: index, status: 'sold' });
    }
  }

  stop(): void {
    this.isStopped = true;
  }

  private async create(pet: Omit<Acknowledged, 'id'>): Promise<void> {
    const body = JSON.stringify(pet);
    for (;;) {
      const baseUrl = await this.whereabouts.baseUrl();
      const response = await this.post(`${baseUrl}/pets`, pet.name, body);
      if (response === undefined) continue;
      this.acknowledged.push(response);
      this.onAcknowledged();
      return;
    }
  }

  /** `undefined` if the connection was lost before the response was complete, or for a 503. */
  private async post(url: string, key: string, body: string): Promise<Acknowledged | undefined> {
    const headers = {
      Authorization: `Bearer ${this.token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    };
    try {
      const response = await fetch(url, { method: 'POST', headers, body });
      const text = await response.text();
      if (response.status === 503) {
        this.apiErrors += 1;
        await delay(pauseMs);
        return undefined;
      }
      if (response.status !== 201) throw new Error(`The server returned ${String(response.status)}: ${text}`);
      if (response.headers.has('Idempotent-Replayed')) this.replays += 1;
      return JSON.parse(text) as Acknowledged;
    } catch (error) {
      // fetch throws this without a response, or if it is incomplete.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }
}
