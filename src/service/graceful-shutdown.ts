import { withTimeout } from '../lib/timeout.js';

/** One step of a stop. */
export interface ShutdownStep {
  readonly name: string;
  /** How long the next step waits for this one, in milliseconds. */
  readonly timeoutMs: number;
  readonly run: () => unknown;
}

/**
 * Runs one step after the other. One that fails, or takes longer than it may, does not keep the next from its turn:
 * what is behind it must still be closed.
 *
 * @throws AggregateError, after the last step, with what went wrong.
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
  if (errors.length > 0) throw new AggregateError(errors, 'The service did not stop properly.');
}
