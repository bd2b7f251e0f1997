import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { CommandContext } from 'contract-server/cli/context.js';
import { runTools } from 'contract-server/cli/tools/run-tools.js';
import { LogLines } from './log-lines.js';

/** What a command in this process uses instead of the process. It reads no settings unless they are given. */
export function commandContext(changes: Partial<CommandContext> = {}) {
  const codes: number[] = [];
  const signals = Object.assign(new EventEmitter(), { exit: (code: number) => void codes.push(code) });
  const [stdout, stderr] = [new LogLines(), new LogLines()];
  return { env: {}, stdin: () => Readable.from([]), clock: Date.now, ...changes, stdout, stderr, signals, codes };
}

/** Runs `contract-server` in this process until it ends: one at a time, because the process has one directory. */
export async function runTool(directory: string, ...args: readonly string[]) {
  const context = commandContext();
  const before = process.cwd();
  process.chdir(directory);
  try {
    const code = await runTools(args, context);
    return { code, stdout: context.stdout.text, stderr: context.stderr.text };
  } finally {
    process.chdir(before);
  }
}
