import { type SentRequest, send, type TimedResponse } from './send.js';

/** A toy that the server has acknowledged. */
export interface Acknowledged {
  readonly id: number;
  readonly name: string;
  readonly weight: number;
}

/** Sends requests to a server of toys, also during an outage, and records what it has acknowledged. */
export class ToyClient {
  readonly acknowledged: Acknowledged[] = [];
  private created = 0;

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
    private readonly name = 'toy',
    private readonly options: SentRequest = {},
  ) {}

  get(target: string): Promise<TimedResponse> {
    return send(`${this.baseUrl}${target}`, this.token, this.options);
  }

  list(): Promise<TimedResponse> {
    return this.get('/toys?limit=100');
  }

  /** Creates the next toy. */
  async create(): Promise<TimedResponse> {
    this.created += 1;
    const toy = { name: `${this.name}-${String(this.created)}`, weight: this.created };
    const sent = { ...this.options, body: JSON.stringify(toy) };
    const response = await send(`${this.baseUrl}/toys`, this.token, sent);
    const { status, text } = response;
    if (status === 201) this.acknowledged.push({ ...toy, id: (JSON.parse(text) as Acknowledged).id });
    return response;
  }
}
