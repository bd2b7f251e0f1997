import { type Context, createContext, Script } from 'node:vm';

/**
 * How much CPU time matching may take in one validation, in milliseconds; outside of validations, in one turn of the
 * event loop. A request has two validations, of its parameters and of its body.
 */
export const matchingMsMax = 5;

let sandbox: { readonly context: Context; readonly script: Script } | undefined;
let leftMs = matchingMsMax;

/** Must be called when a validation begins, so that it has time that others have not taken. */
export function renewMatchingTime(): void {
  leftMs = matchingMsMax;
}

/**
 * Whether a text contains a match that is found in time: V8 interrupts backtracking, which a client could otherwise
 * stop the process with. A process that waits for the CPU loses no time. A call takes 0.1 ms of it.
 */
export function testInTime(expression: RegExp, text: string): boolean {
  sandbox ??= { context: createContext({}), script: new Script('isMatch = expression.test(text)') };
  const { context, script } = sandbox;
  Object.assign(context, { expression, text, isMatch: undefined });
  while (leftMs > 0 && context.isMatch === undefined) {
    const usedBefore = usedMs();
    const start = performance.now();
    try {
      script.runInContext(context, { timeout: Math.ceil(leftMs) });
    } catch (error) {
      // If the thread that interrupts waited for the CPU, the match can have ended before.
      if ((error as { readonly code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    } finally {
      spend(Math.min(usedMs() - usedBefore, performance.now() - start));
    }
  }
  return context.isMatch === true;
}

const { threadCpuUsage } = process as Partial<Record<'threadCpuUsage', typeof process.cpuUsage>>;

/**
 * The CPU time that this thread has used. In Node.js 20, it includes other threads, such as those of the garbage
 * collector. Linux counts the time of a thread up to the last tick of its scheduler, milliseconds ago; asking for that
 * of the process brings it up to date.
 */
function usedMs(): number {
  const ofProcess = process.cpuUsage();
  const { user, system } = threadCpuUsage?.() ?? ofProcess;
  return (user + system) / 1000;
}

function spend(ms: number): void {
  if (leftMs === matchingMsMax) setImmediate(renewMatchingTime);
  leftMs -= ms;
}
