import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

/** The place of responses that `x-service-responses` declares. */
export const noOperation = 'no operation';
/** The place of responses that `x-document-responses` declares. */
export const documents = 'documents';

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
 * @param place the operationId, `noOperation` or `documents`.
 */
export function recordResponse(
  place: string,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  code: string | undefined,
): void {
  const name = `${place} ${String(status)}`;
  count(name);
  for (const header of Object.keys(headers)) count(`${name}: ${header}`);
  if (code !== undefined) count(`error code ${code}`);
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

function count(name: string): void {
  seen.set(name, (seen.get(name) ?? 0) + 1);
}
