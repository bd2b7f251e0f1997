import { ApiError } from '../lib/errors.js';

/** Runs tasks at intervals. A task that fails runs again at its next interval, and the error is reported. */
export class Scheduler {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly report: (error: unknown) => void) {}

  /** Skips an interval while the previous run of the task is still in progress, as on a slow disk. */
  every(intervalMs: number, task: () => unknown): void {
    let current: Promise<void> | undefined;
    const start = () => {
      if (current !== undefined) return;
      const run = (current = this.run(task).finally(() => {
        current = undefined;
        this.running.delete(run);
      }));
      this.running.add(run);
    };
    this.timers.push(setInterval(start, intervalMs).unref());
  }

  /** Stops the timers and waits for the tasks in progress. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.running);
  }

  /** Runs a task once. Never rejects. */
  async run(task: () => unknown): Promise<void> {
    try {
      await task();
    } catch (error) {
      // The stores report an outage themselves, once and not for every task.
      if (!(error instanceof ApiError)) this.report(error);
    }
  }
}
