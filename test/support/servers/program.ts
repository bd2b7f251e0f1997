import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { closeLater } from '@contract-server/test-support/closing.js';
import { watchChild } from '@contract-server/test-support/servers/child-process.js';
import { isListening } from '@contract-server/test-support/servers/is-listening.js';

/**
 * Starts a program of the system in the foreground. Resolves when it listens on a port of 127.0.0.1. It is stopped
 * after the test or suite.
 *
 * @throws with its output if it ends before.
 */
export async function startProgram(
  program: string,
  args: readonly string[],
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = watchChild(child);
  closeLater(async () => {
    // Its workers exit with it.
    child.kill('SIGTERM');
    await ended;
  });
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    await delay(10);
  }
  return child;
}

/** Replaces each pattern in a text. @throws if the text does not have one. */
export function replaceAll(
  text: string,
  changes: readonly (readonly [pattern: RegExp, replacement: string])[],
): string {
  return changes.reduce((changed, [pattern, replacement]) => {
    if (changed.search(pattern) < 0) throw new Error(`The text has no ${String(pattern)}.`);
    return changed.replace(pattern, replacement);
  }, text);
}
