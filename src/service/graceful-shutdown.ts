import { withTimeout } from '../lib/timeout.js';

export interface ShutdownStep {
  readonly name: string;
  readonly timeoutMs: number;
  readonly run: () => unknown;
}

/**
 * Runs the steps of a shutdown in order. A step that fails or times out does not prevent the next one.
 *
 * @throws AggregateError with all errors, after the last step.
 */
export async function shutDown(steps: readonly ShutdownStep[]): Promise<void> {
  const errors: unknown[] = [];
  for (const { name, timeoutMs, run } of steps) {
    try {
      await withTimeout(Promise.resolve().then(run), timeoutMs, `${name} took longer than ${String(timeoutMs)} ms.`);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'The service did not shut down cleanly.');
}
