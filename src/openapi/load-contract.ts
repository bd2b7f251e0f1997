import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { ContractDocument } from './document.js';

/** The contract of this package. */
export const contractUrl = new URL('../../spec/petstore.yaml', import.meta.url);

/** Where a build leaves the document of the contract once it has found it to be sound. */
const checkedUrl = new URL('./checked-contract.json', import.meta.url);

/** The contract as it is written, and as it is read. */
export interface ContractSource {
  readonly bytes: Buffer;
  readonly document: ContractDocument;
  /** Whether a build has found these very bytes to be sound; whoever serves the document has to check it otherwise. */
  readonly isChecked: boolean;
}

interface CheckedContract {
  /** Of the bytes, in hexadecimal digits. */
  readonly sha256: string;
  readonly document: ContractDocument;
}

/**
 * Reads the contract, in a few milliseconds if a build has checked these very bytes.
 *
 * @param checkedBy what the build has left.
 * @throws if it cannot be read, is not YAML, or has mistakes in the extensions that the server reads.
 */
export async function readContract(url: URL, checkedBy = checkedUrl): Promise<ContractSource> {
  const [bytes, checked] = await Promise.all([readFile(url), readChecked(checkedBy)]);
  if (checked?.sha256 === sha256Of(bytes)) return { bytes, document: checked.document, isChecked: true };
  return { bytes, document: await parseContract(bytes), isChecked: false };
}

/** Parses what is written, whatever a build has left. @throws like `readContract` */
export async function parseContract(bytes: Uint8Array): Promise<ContractDocument> {
  // Loaded only where they are needed, for the sake of quick starts.
  const [{ parse }, { requireExtensions }] = await Promise.all([import('yaml'), import('./extensions.js')]);
  const document: unknown = parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  requireExtensions(document);
  return document as ContractDocument;
}

/** Notes that these bytes, which hold this document, are sound. */
export async function writeChecked(bytes: Uint8Array, document: ContractDocument): Promise<void> {
  const checked: CheckedContract = { sha256: sha256Of(bytes), document };
  await writeFile(checkedUrl, JSON.stringify(checked));
}

/** `undefined` where a build has left nothing, or nothing that can be read: then the start checks for itself. */
function readChecked(url: URL): Promise<CheckedContract | undefined> {
  return readFile(url, 'utf8')
    .then((text) => JSON.parse(text) as CheckedContract)
    .catch(() => undefined);
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
