import { ApiError } from '../openapi/api-error.js';

/**
 * What a service does now and then beside its requests. A chore that fails is tried again the next time; a defect is
 * reported.
 */
export class Scheduler {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly report: (error: unknown) => void) {}

  every(intervalMs: number, chore: () => unknown): void {
    let running: Promise<void> | undefined;
    const start = () => {
      // One that takes longer than its interval, as on a slow disk, is not joined by another.
      if (running !== undefined) return;
      const run = (running = this.run(chore).finally(() => {
        running = undefined;
        this.running.delete(run);
      }));
      this.running.add(run);
    };
    this.timers.push(setInterval(start, intervalMs).unref());
  }

  /** Starts none any more, and resolves when those that run are done. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.running);
  }

  /** Runs one now. Never rejects. */
  async run(chore: () => unknown): Promise<void> {
    try {
      await chore();
    } catch (error) {
      // The storage tells the operator itself when it is in trouble, once and not at every chore.
      if (!(error instanceof ApiError)) this.report(error);
    }
  }
}
