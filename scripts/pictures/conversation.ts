import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { FirstService } from './first-service.js';

const run = promisify(execFile);

/** A command, and what it printed. */
export interface Exchange {
  readonly command: string;
  readonly output: readonly string[];
}

/**
 * Says to a service what the README says, and gives what it answers, from the start on. Of the key only the beginning
 * is told.
 */
export async function holdConversation(readme: string, { token, words }: FirstService): Promise<Exchange[]> {
  const shownKey = `${token.slice(0, token.lastIndexOf('_') + 1)}…`;
  const contexts: Exchange[] = [
    { command: 'npm ci && npm start', output: words.map((line) => line.replace(token, shownKey)) },
    { command: `export API_KEY=${shownKey}`, output: [] },
  ];
  for (const command of await commandsOf(readme)) {
    const { stdout } = await run('bash', ['-c', command], { env: { API_KEY: token } });
    contexts.push({ command, output: stdout.replaceAll('\r', '').trimEnd().split('\n') });
  }
  return contexts;
}

async function commandsOf(readme: string): Promise<string[]> {
  const text = await readFile(readme, 'utf8');
  const transcript = /^```console\n(.*?)^```$/ms.exec(text)?.[1] ?? '';
  return [...transcript.matchAll(/^\$ (.+)$/gm)].map(([, command = '']) => command);
}
