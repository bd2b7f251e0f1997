import { ApiError } from '../lib/errors.js';
import { withTimeout } from '../lib/timeout.js';

type Report = (error: unknown) => void;

/** A task that runs at intervals. */
interface Task {
  readonly intervalMs: number;
  readonly run: () => unknown;
}

/**
 * The resources and tasks of a service. Closes them in reverse order of opening. A step that fails or times out does
 * not prevent the next one.
 */
export class ResourceStack {
  private readonly steps: (() => unknown)[] = [];

  constructor(private readonly report: Report) {}

  add<T extends { close(): unknown }>(resource: T): T {
    this.steps.push(() => resource.close());
    return resource;
  }

  /** Adds a step with a timeout. */
  addStep(name: string, timeoutMs: number, run: () => unknown): void {
    const message = `${name} took longer than ${String(timeoutMs)} ms.`;
    this.steps.push(() => withTimeout(Promise.resolve().then(run), timeoutMs, message));
  }

  /**
   * Starts to run tasks, and adds a step that waits for those in progress. An interval is skipped while the previous
   * run of the task is still in progress, as on a slow disk.
   */
  addTasks(timeoutMs: number, tasks: readonly Task[]): void {
    const running = new Map<Task, Promise<void>>();
    const start = (task: Task) => {
      if (!running.has(task))
        running.set(
          task,
          this.attempt(task.run).finally(() => running.delete(task)),
        );
    };
    const timers = tasks.map((task) => setInterval(start, task.intervalMs, task).unref());
    this.addStep('Stopping scheduled tasks', timeoutMs, () => {
      for (const timer of timers) clearInterval(timer);
      return Promise.all(running.values());
    });
  }

  /** Runs a task once, and reports its error. Never rejects. */
  async attempt(run: Task['run']): Promise<void> {
    try {
      await run();
    } catch (error) {
      // The stores report an outage themselves, once and not for every task.
      if (!(error instanceof ApiError)) this.report(error);
    }
  }

  /** Runs every step once. @throws the error of a step, or an AggregateError with those of several. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const step of this.steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, 'The service did not shut down cleanly.');
    if (errors.length > 0) throw errors[0];
  }
}

/**
 * Opens resources, and adds each one to the stack. If that fails, closes those that are open, and throws the original
 * error: an error of closing is only reported.
 */
export async function openAll<T>(report: Report, open: (opened: ResourceStack) => Promise<T>): Promise<T> {
  const opened = new ResourceStack(report);
  try {
    return await open(opened);
  } catch (error) {
    await opened.close().catch(report);
    throw error;
  }
}
