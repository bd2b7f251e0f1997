import { setTimeout as delay } from 'node:timers/promises';

/** Runs a function again, after a pause, while it fails temporarily, until a timeout. @throws the last error. */
export async function retry<T>(
  run: () => T | Promise<T>,
  isTemporary: (error: unknown) => boolean,
  { timeoutMs, pauseMs }: { readonly timeoutMs: number; readonly pauseMs: number },
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isTemporary(error) || performance.now() - startedAt >= timeoutMs) throw error;
    }
    await delay(pauseMs);
  }
}
