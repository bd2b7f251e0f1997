import { appendFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { threadId } from 'node:worker_threads';

/** Where the processes of a run write what they have seen, below the working directory. */
const defaultDirectory = resolve('node_modules/.cache/contract-server/seen-responses');

/** What this process has written, by directory. */
const written = new Map<string, Set<string>>();

/**
 * Records statuses, headers and error codes of a contract that tests have seen, if a coverage gate has created the
 * directory. Each process and thread writes immediately, to a file of its own, because test runners end their workers
 * in different ways.
 *
 * @param names such as `getPet 404`, `getPet 404: sunset` and `error code pet_not_found`.
 */
export function recordSeen(contractUrl: string, names: readonly string[], directory = defaultDirectory): void {
  const known = written.get(directory) ?? new Set();
  written.set(directory, known);
  const lines = names.map((name) => `${contractUrl} ${name}\n`).filter((line) => !known.has(line));
  if (lines.length === 0) return;
  try {
    appendFileSync(join(directory, `${String(process.pid)}-${String(threadId)}.txt`), lines.join(''));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return;
  }
  for (const line of lines) known.add(line);
}

/** Creates the directory, without what earlier runs have written. */
export async function startRecording(directory = defaultDirectory): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
}

/** Returns what every process has seen of a contract, and deletes the directory. */
export async function finishRecording(contractUrl: string, directory = defaultDirectory): Promise<Set<string>> {
  const files = await readdir(directory).catch((cause: unknown) => {
    throw new Error(`Call startCoverage before the tests: cannot read ${directory}.`, { cause });
  });
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
  await rm(directory, { recursive: true });
  const prefix = `${contractUrl} `;
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.startsWith(prefix));
  return new Set(lines.map((line) => line.slice(prefix.length)));
}
