import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Acknowledged, PetClient } from './pet-client.js';

/** How long a client waits after a 503, and after a lost connection: short, for more requests. In milliseconds. */
const unavailablePauseMs = 50;
const lostPauseMs = 5;

/**
 * Clients that create one pet after the other, each with its own Idempotency-Key, and retry each request until it
 * succeeds: at the current address of a server that is killed and restarted.
 */
export class RetryingClients {
  /** Number of replayed responses, and of 503 responses. */
  replays = 0;
  apiErrors = 0;
  private isStopped = false;
  private readonly clients: PetClient[] = [];
  private readonly running: Promise<unknown>;

  /** @param addresses return the base URL for each client. */
  constructor(name: string, token: string, addresses: readonly (() => string)[]) {
    this.running = Promise.all(
      addresses.map((address, index) => {
        const client = new PetClient('', token, `${name}-${String(index)}`);
        this.clients.push(client);
        return this.run(client, address);
      }),
    );
  }

  /** Resolves when the clients have created `count` more pets. @throws for a response other than 201 and 503. */
  async more(count: number): Promise<void> {
    const countOf = () => this.clients.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    const goal = countOf() + count;
    while (countOf() < goal) await Promise.race([delay(1), this.running]);
  }

  /** Waits for the last responses. Resolves with the created pets in order of id; each name once. */
  async stop(): Promise<Acknowledged[]> {
    this.isStopped = true;
    await this.running;
    const pets = this.clients.flatMap(({ acknowledged }) => acknowledged).sort((one, other) => one.id - other.id);
    expect(new Set(pets.map(({ name }) => name)).size).to.equal(pets.length);
    return pets;
  }

  private async run(client: PetClient, address: () => string): Promise<void> {
    while (!this.isStopped) {
      const name = client.nextName();
      while (!(await this.isCreated(client, address(), name)));
    }
  }

  private async isCreated(client: PetClient, baseUrl: string, name: string): Promise<boolean> {
    try {
      client.baseUrl = baseUrl;
      const { status, headers, text } = await client.createOnce(name);
      if (status !== 201 && status !== 503) throw new Error(`The server returned ${String(status)}: ${text}`);
      if (headers['idempotent-replayed'] === 'true') this.replays += 1;
      if (status === 201) return true;
      this.apiErrors += 1;
      await delay(unavailablePauseMs);
    } catch (error) {
      if (!/^(ECONNRESET|ECONNREFUSED|EPIPE)$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
      await delay(lostPauseMs);
    }
    return false;
  }
}
