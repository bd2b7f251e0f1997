import type { Time } from '#src/client/petstore-client.js';

/** A time in which a client waits without anybody waiting for it. */
export class PatientTime implements Time {
  /** What the client waited for, in seconds, one after the other. */
  readonly waits: number[] = [];

  /**
   * @param chance what `random` gives: 0 for the shortest waits. @param meanwhile what happens while the client waits.
   */
  constructor(
    private readonly chance = 0,
    private readonly meanwhile: (seconds: number) => unknown = () => undefined,
    private readonly at = Date.parse('2026-11-20T12:00:00Z'),
  ) {}

  now(): number {
    return this.at;
  }

  random(): number {
    return this.chance;
  }

  async sleep(ms: number): Promise<void> {
    this.waits.push(ms / 1000);
    await this.meanwhile(ms / 1000);
  }
}
