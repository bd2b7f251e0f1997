/**
 * Takes tasks from a queue until it is empty, and runs one in each iteration of the event loop, so that a request waits
 * for one of them at most.
 */
export function runInTurn(tasks: (() => unknown)[]): void {
  setImmediate(() => {
    const task = tasks.shift();
    if (tasks.length > 0) runInTurn(tasks);
    task?.();
  });
}
