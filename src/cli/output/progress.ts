import { SingleBar } from 'cli-progress';
import type { Clock } from '../../lib/clock.js';
import type { Output } from '../context.js';

/** Nothing is shown for runs that are shorter. */
const showAfterMs = 1000;
const lineIntervalMs = 10_000;

/** Shows the progress of a long run: a bar on a terminal, otherwise a line every 10 s. */
export class Progress {
  private readonly startedAt: number;
  private nextLineAt: number;
  private bar: SingleBar | undefined;

  /** @param bytesTotal number of bytes to process; `undefined` if it is unknown. */
  constructor(
    private readonly output: Output,
    private readonly clock: Clock,
    public bytesTotal: number | undefined,
  ) {
    this.startedAt = clock();
    this.nextLineAt = this.startedAt + showAfterMs;
  }

  get elapsedMs(): number {
    return this.clock() - this.startedAt;
  }

  /** @param done the progress in words: `10,000 pets`. */
  update(done: string, bytes: number): void {
    if (this.elapsedMs < showAfterMs) return;
    if (this.output.isTTY === true) this.updateBar(done, bytes);
    else if (this.clock() >= this.nextLineAt) {
      this.nextLineAt = this.clock() + lineIntervalMs;
      this.output.write(`${done} so far${this.percentage(bytes)}.\n`);
    }
  }

  /** Prints the name of the next phase of a long run. */
  announce(text: string): void {
    this.clear();
    if (this.elapsedMs >= showAfterMs) this.output.write(`${text}\n`);
  }

  /** Removes the bar until the next update, so that other text can be printed. */
  clear(): void {
    this.bar?.stop();
    this.bar = undefined;
  }

  private updateBar(done: string, bytes: number): void {
    if (this.bar === undefined) {
      const format = this.bytesTotal === undefined ? '{done}' : '{bar} {percentage}%  {done}';
      // Without `linewrap`, a killed process would leave line wrapping of the terminal disabled.
      this.bar = new SingleBar({ stream: this.output, format, barsize: 30, clearOnComplete: true, linewrap: true });
      this.bar.start(this.bytesTotal ?? 0, bytes, { done });
    }
    this.bar.update(bytes, { done });
  }

  private percentage(bytes: number): string {
    return this.bytesTotal === undefined ? '' : `, ${String(Math.floor((100 * bytes) / this.bytesTotal))}%`;
  }
}
