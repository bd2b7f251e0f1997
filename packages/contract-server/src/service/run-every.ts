import { ApiError, type Report } from '@contract-server/core/lib/errors.js';

/**
 * Runs a task at intervals, and reports its errors, except for an outage, which the stores report themselves. An
 * interval is skipped while the previous run is still in progress, as on a slow disk.
 *
 * @returns a function that stops it. It resolves when the run in progress has ended.
 */
export function runEvery(intervalMs: number, task: () => unknown, report: Report) {
  let running: Promise<unknown> | undefined;
  const handle = (error: unknown) => {
    if (!(error instanceof ApiError)) report(error);
  };
  const run = () => Promise.resolve().then(task).catch(handle);
  const timer = setInterval(() => {
    running ??= run().finally(() => (running = undefined));
  }, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
