import { setTimeout as delay } from 'node:timers/promises';

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
  for (const step of steps) {
    try {
      await inTime(step);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'The service did not stop properly.');
}

async function inTime({ name, timeoutMs, run }: ShutdownStep): Promise<void> {
  const controller = new AbortController();
  const timeout = delay(timeoutMs, undefined, { signal: controller.signal }).then(() => {
    throw new Error(`${name} took longer than ${String(timeoutMs)} ms.`);
  });
  try {
    await Promise.race([timeout, run()]);
  } finally {
    controller.abort();
    timeout.catch(() => undefined);
  }
}
