import { ApiError } from '../lib/errors.js';

/**
 * Runs a task at intervals, and reports its errors, except for an outage, which the stores report themselves. An
 * interval is skipped while the previous run is still in progress, as on a slow disk.
 *
 * @returns a function that stops it. It resolves when the run in progress, or with `runsLast` another one, has ended.
 */
export function runEvery(
  intervalMs: number,
  task: () => unknown,
  report: (error: unknown) => void,
  { runsLast = false } = {},
): () => Promise<void> {
  const handle = (error: unknown) => {
    if (!(error instanceof ApiError)) report(error);
  };
  let running: Promise<void> | undefined;
  const run = () =>
    (running ??= Promise.resolve()
      .then(task)
      .then(() => undefined, handle)
      .finally(() => (running = undefined)));
  const timer = setInterval(() => void run(), intervalMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
    if (runsLast) await run();
  };
}
