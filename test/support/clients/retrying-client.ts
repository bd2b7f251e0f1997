import { setTimeout as delay } from 'node:timers/promises';
import type { Acknowledged } from './creating-client.js';

/**
 * How long it waits when the storage does not answer, in milliseconds: less than it is told, so that it asks more
 * often.
 */
const pauseMs = 50;

/** Where a server is found that is killed and started again: at another address each time. */
export class Whereabouts {
  private settle: (baseUrl: string) => void = () => undefined;
  private found: Promise<string>;

  constructor() {
    this.found = this.lost();
  }

  /** From now on whoever asks waits until the server is found again. */
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
 * Creates one pet after the other, each under an Idempotency-Key of its own, and sends the same request again, to
 * wherever the server is by then, until it is answered.
 */
export class RetryingClient {
  readonly acknowledged: Acknowledged[] = [];
  /** How many answers were those of an earlier request. */
  replays = 0;
  /** How many answers said that the storage does not answer. */
  apiErrors = 0;
  private isStopped = false;

  constructor(
    private readonly name: string,
    private readonly whereabouts: Whereabouts,
    private readonly token: string,
    private readonly onAcknowledged: () => void,
  ) {}

  /** Resolves once it is stopped and its last request is answered. @throws for an answer other than 201 and 503. */
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

  /** `undefined` if the connection was lost before the answer was whole, or the storage did not answer. */
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
      if (response.status !== 201) throw new Error(`The server answered ${String(response.status)}: ${text}`);
      if (response.headers.has('Idempotent-Replayed')) this.replays += 1;
      return JSON.parse(text) as Acknowledged;
    } catch (error) {
      // What fetch throws where there is no answer, or only a part of one.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }
}
