import { setTimeout as delay } from 'node:timers/promises';
import { expectStoreUnavailable } from '@contract-server/test-support/unavailable.js';
import { expect } from 'chai';
import { type SentRequest, send, type TimedResponse } from './send.js';

export { expectStoreUnavailable };

/** A pet that the server has acknowledged. */
export interface Acknowledged {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

/** The service rejects a creation within a second, and recovers within five seconds after the end of an outage. */
const rejectedWithinMs = 1000;
const recoveredWithinMs = 5000;
/** Additional time on a busy machine. */
const slackMs = 500;

/** Sends requests to a server, also during an outage, and records what it has acknowledged. */
export class PetClient {
  readonly acknowledged: Acknowledged[] = [];
  private created = 0;

  /** @param baseUrl may be replaced when the server was restarted. */
  constructor(
    public baseUrl: string,
    private readonly token: string,
    private readonly name = 'pet',
    private readonly options: SentRequest = {},
  ) {}

  get(target: string): Promise<TimedResponse> {
    return send(`${this.baseUrl}${target}`, this.token, this.options);
  }

  list(): Promise<TimedResponse> {
    return this.get('/pets?limit=100');
  }

  /** Creates the next pet. */
  create(): Promise<TimedResponse> {
    return this.createNamed(this.nextName(), {});
  }

  /** Creates the next pet with an `Idempotency-Key`. */
  createOnce(name = this.nextName()): Promise<TimedResponse> {
    return this.createNamed(name, { 'idempotency-key': name });
  }

  nextName(): string {
    this.created += 1;
    return `${this.name}-${String(this.created)}`;
  }

  async createMany(count: number): Promise<void> {
    const responses = await Promise.all(Array.from({ length: count }, () => this.create()));
    expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([201]));
  }

  /** Creates pets until the service rejects one, which must be a 503 with Retry-After, in time. */
  async createUntilRejected(): Promise<void> {
    let response = await this.create();
    for (let tries = 0; response.status === 201 && tries < 1000; tries += 1) response = await this.create();
    expectRejectedInTime(response);
  }

  /** Creates a pet every 100 ms until the service accepts it. Until then each is rejected in time. */
  async createUntilAcknowledged(): Promise<void> {
    const startedAt = performance.now();
    for (let response = await this.create(); response.status !== 201; response = await this.create()) {
      expectRejectedInTime(response);
      expect(performance.now() - startedAt, 'ms until it recovers').to.be.below(recoveredWithinMs + slackMs);
      await delay(100);
    }
  }

  private async createNamed(name: string, headers: Readonly<Record<string, string>>): Promise<TimedResponse> {
    const pet = { name, categoryId: this.created, status: 'sold' };
    const sent = { ...this.options, headers, body: JSON.stringify(pet) };
    const response = await send(`${this.baseUrl}/pets`, this.token, sent);
    const { status, text } = response;
    if (status === 201) this.acknowledged.push({ id: (JSON.parse(text) as Acknowledged).id, ...pet });
    return response;
  }
}

function expectRejectedInTime(response: TimedResponse): void {
  expectStoreUnavailable(response);
  expect(response.ms, 'ms until it is rejected').to.be.below(rejectedWithinMs + slackMs);
}

/** Every pet that the service lists, page by page. */
export async function fetchListedPets(baseUrl: string, token: string): Promise<Acknowledged[]> {
  const pets: Acknowledged[] = [];
  for (let url: string | undefined = `${baseUrl}/pets?limit=100`; url !== undefined; ) {
    const { headers, text }: TimedResponse = await send(url, token);
    pets.push(...(JSON.parse(text) as Acknowledged[]));
    url = /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1];
  }
  return pets;
}
