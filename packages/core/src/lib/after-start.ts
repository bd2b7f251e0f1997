import { runInTurn } from './run-in-turn.js';

/** The delay of tasks that the first requests do not need, in milliseconds. */
const delayMs = 500;

const tasks: (() => unknown)[] = [];

/** Runs a task that makes later requests faster, but would delay the start. The process may end before. */
export function runAfterStart(task: () => unknown): void {
  tasks.push(task);
  if (tasks.length === 1) setTimeout(() => runInTurn(tasks), delayMs).unref();
}
