import { Refusal } from '../domain/refusal.js';

/** How many requests are worked on at a time. Beyond, it is better to say so at once than to let all of them wait longer. */
export class Capacity {
  private used = 0;

  constructor(private readonly max: number) {}

  /** Takes room for a piece of work, which has to leave it. @throws Refusal `server_busy` if there is too much of it already. */
  enter(): void {
    this.requireRoom();
    this.used += 1;
  }

  leave(): void {
    this.used -= 1;
  }

  /** Leaves room for others while a piece of work waits for its client, who may be slow. @throws Refusal `server_busy` if they took it all. */
  async leaveFor<T>(wait: Promise<T>): Promise<T> {
    this.used -= 1;
    try {
      const result = await wait;
      this.requireRoom();
      return result;
    } finally {
      this.used += 1;
    }
  }

  private requireRoom(): void {
    if (this.used < this.max) return;
    throw new Refusal('server_busy', 'The server has too much to do for the moment. Retry after the time given in Retry-After.', {
      headers: { 'Retry-After': '1' },
    });
  }
}
