import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

/** The place of responses that belong to no operation: the shared response `default` declares them. */
export const noOperation = 'default';

/**
 * How often the server has returned a status, a header and an error code in a response that conforms to the contract:
 * `getPet 404`, `getPet 404: sunset`, `error code pet_not_found`.
 */
export type SeenResponses = ReadonlyMap<string, number>;

/** Where the processes of a run of the whole suite write what they have seen. */
const directory = new URL('../../../../coverage/seen-responses/', import.meta.url);

const seen = new Map<string, number>();

/**
 * Records a response that conforms to the contract.
 *
 * @param declared `getPet 404`, or `noOperation`.
 */
export function recordResponse(
  declared: string,
  headers: Readonly<Record<string, string>>,
  code: string | undefined,
): void {
  const names = [declared, ...Object.keys(headers).map((header) => `${declared}: ${header}`)];
  if (code !== undefined) names.push(`error code ${code}`);
  for (const name of names) seen.set(name, (seen.get(name) ?? 0) + 1);
}

/** Deletes what earlier runs have written. */
export async function clearSeenResponses(): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
}

/** Writes what this process has seen so far. */
export async function writeSeenResponses(): Promise<void> {
  await writeFile(new URL(`${String(process.pid)}.json`, directory), JSON.stringify(Object.fromEntries(seen)));
}

/** What all processes have written. */
export async function readSeenResponses(): Promise<SeenResponses> {
  const sums = new Map<string, number>();
  for (const file of await readdir(directory)) {
    const written = JSON.parse(await readFile(new URL(file, directory), 'utf8')) as Record<string, number>;
    for (const [name, times] of Object.entries(written)) sums.set(name, (sums.get(name) ?? 0) + times);
  }
  return sums;
}
