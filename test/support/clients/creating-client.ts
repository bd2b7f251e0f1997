import { Agent, type IncomingMessage, request } from 'node:http';

/** A pet that the server has acknowledged. */
export interface Acknowledged {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

/**
 * Creates one pet after the other on one connection, until the server closes it or announces that it will.
 */
export class CreatingClient {
  readonly acknowledged: Acknowledged[] = [];
  /** Whether the server sent `Connection: close`, and did not reset the connection. */
  receivedConnectionClose = false;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private sent = 0;

  constructor(
    private readonly name: string,
    private readonly baseUrl: string,
    private readonly token: string,
    private readonly onAcknowledged: () => void,
  ) {}

  /** Resolves when the connection is closed. @throws for a response other than 201. */
  async run(): Promise<void> {
    try {
      while (!this.receivedConnectionClose) await this.createNext();
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
    } finally {
      this.agent.destroy();
    }
  }

  private async createNext(): Promise<void> {
    this.sent += 1;
    const pet = { name: `${this.name}-${String(this.sent)}`, categoryId: this.sent, status: 'sold' };
    const { response, text } = await this.post(JSON.stringify(pet));
    if (response.statusCode !== 201) throw new Error(`The server returned ${String(response.statusCode)}: ${text}`);
    this.receivedConnectionClose = response.headers.connection === 'close';
    this.acknowledged.push(JSON.parse(text) as Acknowledged);
    this.onAcknowledged();
  }

  private post(body: string): Promise<{ response: IncomingMessage; text: string }> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
    return new Promise((resolve, reject) => {
      const post = request(`${this.baseUrl}/pets`, { method: 'POST', agent: this.agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => resolve({ response, text })).once('error', reject);
      });
      post.once('error', reject).end(body);
    });
  }
}

function isConnectionLoss(error: unknown): boolean {
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code));
}
