import { type Context, createContext, Script } from 'node:vm';

/** How long texts may be matched in one turn of the event loop, without what each of them usually takes. */
const turnMsMax = 10;
/** What interrupting takes, and matching a usual text. */
const usualMs = 0.5;

let sandbox: { readonly context: Context; readonly script: Script } | undefined;
let leftMs = turnMsMax;

/**
 * Whether a text contains a match that is found in time: V8 interrupts backtracking. For a pattern that can take
 * exponential time, in which a client could otherwise stop the process. A call takes 0.1 ms.
 */
export function testInTime(expression: RegExp, text: string): boolean {
  if (leftMs <= 0) return false;
  sandbox ??= { context: createContext({}), script: new Script('expression.test(text)') };
  const { context, script } = sandbox;
  const startedAt = performance.now();
  try {
    Object.assign(context, { expression, text });
    return script.runInContext(context, { timeout: Math.ceil(leftMs) }) as boolean;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return false;
  } finally {
    spend(performance.now() - startedAt - usualMs);
  }
}

function spend(ms: number): void {
  if (ms <= 0) return;
  if (leftMs === turnMsMax) setImmediate(() => (leftMs = turnMsMax));
  leftMs -= ms;
}
