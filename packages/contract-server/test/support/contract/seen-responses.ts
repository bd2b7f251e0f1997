import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

/** The place of responses that belong to no operation: the shared response `default` declares them. */
export const noOperation = 'default';

/**
 * The statuses, headers and error codes of responses that conform to the contract: `getPet 404`, `getPet 404: sunset`,
 * `error code pet_not_found`.
 */
export type SeenResponses = ReadonlySet<string>;

/** Where the processes of a run of the whole suite write what they have seen. */
const directory = new URL('../../../../coverage/seen-responses/', import.meta.url);

const seen = new Set<string>();

/**
 * Records a response that conforms to the contract.
 *
 * @param declared `getPet 404`, or `noOperation`.
 */
export function recordResponse(declared: string, headers: object, code: string | undefined): void {
  const names = [declared, ...Object.keys(headers).map((header) => `${declared}: ${header}`)];
  if (code !== undefined) names.push(`error code ${code}`);
  for (const name of names) seen.add(name);
}

/** Deletes what earlier runs have written. */
export async function clearSeenResponses(): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
}

/** Writes what this process has seen so far. */
export async function writeSeenResponses(): Promise<void> {
  await writeFile(new URL(`${String(process.pid)}.json`, directory), JSON.stringify([...seen]));
}

/** What all processes have written. */
export async function readSeenResponses(): Promise<SeenResponses> {
  const files = await readdir(directory);
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, directory), 'utf8')));
  return new Set(texts.flatMap((text) => JSON.parse(text) as string[]));
}
