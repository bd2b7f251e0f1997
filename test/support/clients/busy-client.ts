import { Agent, type IncomingMessage, request } from 'node:http';
import type { Acknowledged } from './creating-client.js';

/**
 * Repeatedly creates a pet with an Idempotency-Key, gets it and lists pets, on one connection. It never retries.
 */
export class BusyClient {
  readonly acknowledged: Acknowledged[] = [];
  /** A description of each unexpected response. */
  readonly failures: string[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private isStopped = false;

  constructor(
    private readonly name: string,
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  /** Resolves when it is stopped and has received its last response. */
  async run(): Promise<void> {
    for (let index = 0; !this.isStopped; index += 1) {
      const name = `${this.name}-${String(index)}`;
      const created = await this.sendRequest(
        'POST',
        '/pets',
        name,
        JSON.stringify({ name, categoryId: index, status: 'sold' }),
      );
      if (created === undefined) continue;
      const pet = created as Acknowledged;
      this.acknowledged.push(pet);
      await this.sendRequest('GET', `/pets/${String(pet.id)}`);
      await this.sendRequest('GET', '/pets?limit=20&status=sold');
    }
    this.agent.destroy();
  }

  stop(): void {
    this.isStopped = true;
  }

  /** The body of a 200 or 201; any other response is a failure. */
  private async sendRequest(method: string, path: string, key?: string, body?: string): Promise<unknown> {
    try {
      const { statusCode, text } = await this.send(method, path, key, body);
      if (statusCode === 200 || statusCode === 201) return JSON.parse(text) as unknown;
      this.failures.push(`${method} ${path}: ${String(statusCode)} ${text}`);
    } catch (error) {
      this.failures.push(`${method} ${path}: ${String(error)}`);
    }
    return undefined;
  }

  private send(
    method: string,
    path: string,
    key?: string,
    body?: string,
  ): Promise<{ statusCode: number; text: string }> {
    const headers = {
      Authorization: `Bearer ${this.token}`,
      ...(key === undefined ? {} : { 'Content-Type': 'application/json', 'Idempotency-Key': key }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.baseUrl}${path}`,
        { method, agent: this.agent, headers },
        (response: IncomingMessage) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.once('end', () => resolve({ statusCode: response.statusCode ?? NaN, text })).once('error', reject);
        },
      );
      sent.once('error', reject).end(body);
    });
  }
}
