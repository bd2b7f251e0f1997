import type { Clock } from '../../lib/clock.js';
import type { Output } from '../context.js';

/** Nothing is shown for runs that are shorter. */
const showAfterMs = 1000;
const lineIntervalMs = 10_000;

/** Prints the progress of a run that takes longer than a second: one line, and another one every 10 s. */
export class Progress {
  private readonly startedAt: number;
  private nextLineAt: number;

  /** @param bytesTotal number of bytes to process; `undefined` if it is unknown. */
  constructor(
    private readonly output: Output,
    private readonly clock: Clock,
    private readonly bytesTotal: number | undefined,
  ) {
    this.startedAt = clock();
    this.nextLineAt = this.startedAt + showAfterMs;
  }

  get elapsedMs(): number {
    return this.clock() - this.startedAt;
  }

  /** @param done the progress in words: `10,000 pets`. */
  update(done: string, bytes: number): void {
    const now = this.clock();
    if (now < this.nextLineAt) return;
    this.nextLineAt = now + lineIntervalMs;
    const { bytesTotal } = this;
    const share = bytesTotal === undefined ? '' : `, ${String(Math.floor((100 * bytes) / bytesTotal))}%`;
    this.output.write(`${done} so far${share}.\n`);
  }

  /** Prints the name of the next phase of a long run. */
  announce(text: string): void {
    if (this.elapsedMs >= showAfterMs) this.output.write(`${text}\n`);
  }
}
