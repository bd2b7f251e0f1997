/** The delay of tasks that the first requests do not need, in milliseconds. */
const delayMs = 500;

const tasks: (() => unknown)[] = [];

/**
 * Runs a task that makes later requests faster, but would delay the start. One task runs in each iteration of the event
 * loop, so that a request waits for one of them at most. The process may end before.
 */
export function runAfterStart(task: () => unknown): void {
  tasks.push(task);
  if (tasks.length === 1) setTimeout(runNext, delayMs).unref();
}

function runNext(): void {
  const task = tasks.shift();
  if (tasks.length > 0) setImmediate(runNext);
  task?.();
}
