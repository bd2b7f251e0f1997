import { ApiError, type Report } from '@contract-server/core/lib/errors.js';
import { withTimeout } from '../lib/timeout.js';

/** The timeout of a step, in milliseconds. The steps of a server add up to less than 10 s. */
const stepTimeoutMs = 500;

/** Open resources. Closes them in reverse order; a step that fails or times out does not prevent the next one. */
export class ResourceStack {
  private readonly steps: (() => unknown)[] = [];

  add<T extends { close(): unknown }>(resource: T): T {
    this.steps.push(() => resource.close());
    return resource;
  }

  /** Adds a step with a timeout. */
  addStep(name: string, run: () => Promise<unknown>): void {
    this.steps.push(() => withTimeout(run(), stepTimeoutMs, `${name} took longer than ${String(stepTimeoutMs)} ms.`));
  }

  /**
   * Runs every step once. @throws the error of a step, or an AggregateError with those of several; but not an outage,
   * which the stores report themselves.
   */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const step of this.steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        if (!(error instanceof ApiError)) errors.push(error);
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
  const opened = new ResourceStack();
  try {
    return await open(opened);
  } catch (error) {
    await opened.close().catch(report);
    throw error;
  }
}
