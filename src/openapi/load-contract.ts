import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { ContractDocument } from './document.js';

/** The contract of this package. */
export const contractUrl = new URL('../../spec/petstore.yaml', import.meta.url);

/** Where the build stores the document after checking it. */
const checkedUrl = new URL('checked-contract.json', import.meta.url);

/** The file of the contract, and the document that it contains. */
export interface ContractSource {
  readonly bytes: Buffer;
  readonly document: ContractDocument;
  /** Whether the build has checked exactly these bytes. If not, the document is checked at startup. */
  readonly isChecked: boolean;
}

interface CheckedContract {
  /** Hexadecimal, of the file. */
  readonly sha256: string;
  readonly document: ContractDocument;
}

/**
 * Reads the contract, in a few milliseconds if the build has checked exactly these bytes.
 *
 * @param checkedBy the file that the build has written.
 * @throws if it cannot be read, is not YAML, or has an invalid extension.
 */
export async function readContract(url: URL, checkedBy = checkedUrl): Promise<ContractSource> {
  const [bytes, checked] = await Promise.all([readFile(url), readChecked(checkedBy)]);
  if (checked?.sha256 === sha256Of(bytes)) return { bytes, document: checked.document, isChecked: true };
  return { bytes, document: await parseContract(bytes), isChecked: false };
}

/** Parses the contract without the file of the build. @throws like `readContract` */
export async function parseContract(bytes: Uint8Array): Promise<ContractDocument> {
  // Loaded only when needed, for a fast startup.
  const [{ parse }, { requireExtensions }] = await Promise.all([import('yaml'), import('./extensions.js')]);
  const document: unknown = parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  requireExtensions(document);
  return document as ContractDocument;
}

/** Stores that the contract was checked. */
export async function writeChecked(bytes: Uint8Array, document: ContractDocument): Promise<void> {
  const checked: CheckedContract = { sha256: sha256Of(bytes), document };
  await writeFile(checkedUrl, JSON.stringify(checked));
}

/** Returns `undefined` if the build's file is missing or cannot be read: then startup checks the contract. */
function readChecked(url: URL): Promise<CheckedContract | undefined> {
  return readFile(url, 'utf8')
    .then((text) => JSON.parse(text) as CheckedContract)
    .catch(() => undefined);
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
