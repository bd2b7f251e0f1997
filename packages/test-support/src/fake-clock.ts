import type { Time } from '@contract-server/client/time.js';

/** A clock and a timer for clients that wait without real time. */
export class FakeTime implements Time {
  /** The waits of the client in seconds, in order. */
  readonly waits: number[] = [];

  /**
   * @param chance the value of `random`: 0 for the shortest waits. @param meanwhile runs during each wait.
   */
  constructor(
    private readonly chance = 0,
    private readonly meanwhile: (seconds: number) => unknown = () => undefined,
  ) {}

  random(): number {
    return this.chance;
  }

  async sleep(ms: number): Promise<void> {
    this.waits.push(ms / 1000);
    await this.meanwhile(ms / 1000);
  }
}
