import { createInterface } from 'node:readline';
import { type CommandContext, write } from './context.js';

/** Whether a prompt can be shown and read: the input and the messages are on a terminal. */
export function isInteractive(context: CommandContext): boolean {
  return context.stderr.isTTY === true && context.stdin.isTTY === true;
}

/** Prompts for confirmation. Resolves to true if the input is `y` or `yes`; Ctrl+C and Ctrl+D count as no. */
export async function confirm({ stdin, stderr }: CommandContext, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr, prompt: `${question} [y/N] ` });
  lines.prompt();
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
  } finally {
    // Otherwise the process would keep running.
    lines.close();
  }
  await write(stderr, '\n');
  return false;
}
