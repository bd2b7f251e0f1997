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
  sandbox ??= { context: createContext({}), script: new Script('expression.test(text)') };
  const { context, script } = sandbox;
  Object.assign(context, { expression, text });
  while (leftMs > 0) {
    const before = cpuUsage();
    const start = performance.now();
    try {
      return script.runInContext(context, { timeout: Math.ceil(leftMs) }) as boolean;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    } finally {
      const { user, system } = cpuUsage(before);
      spend(Math.min((user + system) / 1000, performance.now() - start));
    }
  }
  return false;
}

type WithThreads = Partial<Record<'threadCpuUsage', typeof process.cpuUsage>>;

/** That of this thread. In Node.js 20, it includes other threads, such as those of the garbage collector. */
const cpuUsage = ((process as WithThreads).threadCpuUsage ?? process.cpuUsage).bind(process);

function spend(ms: number): void {
  if (leftMs === matchingMsMax) setImmediate(renewMatchingTime);
  leftMs -= ms;
}
