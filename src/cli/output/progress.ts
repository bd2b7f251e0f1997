import { SingleBar } from 'cli-progress';
import type { Clock } from '../../lib/clock.js';
import type { Output } from '../context.js';

/** What takes no longer than this, in milliseconds, needs no signs of life. */
const patienceMs = 1000;
/** The time between two lines where there is no terminal, in milliseconds. */
const lineIntervalMs = 10_000;

/** Shows how far a long run has come: a bar on a terminal, elsewhere a line every now and then. */
export class Progress {
  private readonly startedAt: number;
  private nextLineAt: number;
  private bar: SingleBar | undefined;

  /** @param bytesTotal what there is to read; `undefined` where that is not known. */
  constructor(
    private readonly output: Output,
    private readonly clock: Clock,
    private bytesTotal: number | undefined,
  ) {
    this.startedAt = clock();
    this.nextLineAt = this.startedAt + patienceMs;
  }

  get elapsedMs(): number {
    return this.clock() - this.startedAt;
  }

  /** Says what there is to read, where that is known only after the start. */
  expectBytes(bytesTotal: number): void {
    this.bytesTotal = bytesTotal;
  }

  /** @param done is how far it has come, in words. */
  update(done: string, bytes: number): void {
    if (this.elapsedMs < patienceMs) return;
    if (this.output.isTTY === true) this.updateBar(done, bytes);
    else if (this.clock() >= this.nextLineAt) {
      this.nextLineAt = this.clock() + lineIntervalMs;
      this.output.write(`${done} so far${this.percentage(bytes)}.\n`);
    }
  }

  /** Says what comes next, if the run is a long one. */
  say(text: string): void {
    this.clear();
    if (this.elapsedMs >= patienceMs) this.output.write(`${text}\n`);
  }

  /** Makes room for other text. The bar comes back with the next update. */
  clear(): void {
    this.bar?.stop();
    this.bar = undefined;
  }

  private updateBar(done: string, bytes: number): void {
    if (this.bar === undefined) {
      const format = this.bytesTotal === undefined ? '{done}' : '{bar} {percentage}%  {done}';
      // Lines may wrap: else the terminal would have to be told so again, which a killed process cannot do.
      this.bar = new SingleBar({ stream: this.output, format, barsize: 30, clearOnComplete: true, linewrap: true });
      this.bar.start(this.bytesTotal ?? 0, bytes, { done });
    }
    this.bar.update(bytes, { done });
  }

  private percentage(bytes: number): string {
    return this.bytesTotal === undefined ? '' : `, ${String(Math.floor((100 * bytes) / this.bytesTotal))}%`;
  }
}
