import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type Contract, contractOf } from '../contract/contract.js';
import { ContractError } from '../contract/contract-error.js';
import { type Deployment, replacePrefix } from '../contract/deployment.js';
import type { ContractDocument } from '../contract/document.js';
import { stringifyJson } from '../json/exact-json.js';
import { memberOf, setMember } from '../json/object-members.js';

/** A file: its URL, or its path relative to the working directory. */
export type FileLocation = URL | string;

/** The file of a contract, or the parsed document, whose references to files are relative to the working directory. */
export type ContractLocation = FileLocation | { readonly openapi: string };

function fileUrlOf(location: FileLocation): URL {
  return typeof location === 'string' ? pathToFileURL(location) : location;
}

/** @throws ContractError for an object that contains itself. */
export function contractPlaceOf(contract: ContractLocation, overlay?: FileLocation): ContractPlace {
  const place = overlay === undefined ? {} : { overlay: fileUrlOf(overlay) };
  if (typeof contract === 'string' || contract instanceof URL) return { ...place, contract: fileUrlOf(contract) };
  const text = textOf(contract);
  return { ...place, contract: pathToFileURL(`contract-${sha256Of(Buffer.from(text))}`), text };
}

function textOf(document: object): string {
  try {
    return stringifyJson(document);
  } catch (cause) {
    const message = 'The contract is an object that JSON cannot contain, such as one that contains itself.';
    throw new ContractError(`${message} Pass the document with its \`$ref\`.`, { cause });
  }
}

/** Where a contract is, and where the build stores the document after checking it. */
export interface ContractPlace extends Deployment {
  readonly contract: URL;
  /** The file of an OpenAPI Overlay 1.0, which changes the contract. */
  readonly overlay?: FileLocation | undefined;
  /** Whether what is invalid but has an evident meaning is accepted. */
  readonly lenient?: boolean | undefined;
  readonly checkedContract?: URL;
  /** Of a contract that is an object; the URL then says where its references lead from. */
  readonly text?: string;
}

/** A contract, and its file as `/openapi.yaml` returns it. */
export interface ServedContract extends Contract {
  /** The file, or one that contains all of its files, with the changes of its overlay. */
  readonly bytes: Buffer;
}

/** A contract, with what its author may want to change. */
export interface ReadContract extends ServedContract {
  /** A line for each part that is accepted but not applied as it is written; none if the build has checked the file. */
  readonly warnings: readonly string[];
}

interface StoredContract {
  /** The SHA-256 of each file, hexadecimal, by its URL relative to the first one. */
  readonly files: Readonly<Record<string, string>>;
  /** The same of the overlay, which can be at another place in production. */
  readonly overlay?: string | undefined;
  readonly isLenient?: boolean | undefined;
  /** Of several files in one, or of one with an overlay. */
  readonly text?: string;
  readonly document: ContractDocument;
  /** The path and the digits of each integer in the document that `JSON.parse`, which is fast, rounds. */
  readonly integers: readonly (readonly [path: readonly string[], digits: string])[];
}

/**
 * Reads the contract, in a few milliseconds if the build has checked exactly these bytes.
 *
 * @throws ContractError if it cannot be read, is invalid, or contains something that is not supported.
 */
export async function readContract(place: ContractPlace): Promise<ReadContract> {
  const { contract: url, checkedContract } = place;
  const checked = checkedContract && (await readChecked(checkedContract));
  const isUnchanged = checked !== undefined && (await haveHashes(place, checked));
  const {
    text = place.text,
    document,
    warnings,
  } = isUnchanged ? { ...checked, warnings: [] } : await checkFiles(place);
  const isChanged = replacePrefix(document, place.prefix);
  const bundled = isChanged ? await yamlOf(document) : text;
  const bytes = bundled === undefined ? await readFile(url) : Buffer.from(bundled);
  return { ...contractOf(document), deployment: place, bytes, warnings };
}

/** Checks the contract, and stores that it was checked. @throws ContractError */
export async function buildContract(
  place: ContractPlace & Required<Pick<ContractPlace, 'checkedContract'>>,
): Promise<void> {
  const { warnings: _, ...checked } = await checkFiles(place);
  await writeFile(place.checkedContract, stringifyJson(checked));
}

async function checkFiles({ contract, overlay: location, text, lenient: isLenient = false }: ContractPlace) {
  // Loaded only when needed, for a fast startup.
  const { loadDocument } = await import('./load-document.js');
  const overlayUrl = location === undefined ? undefined : fileUrlOf(location);
  const options = { overlay: overlayUrl, isLenient, ...(text !== undefined && { text }) };
  const { document, files, overlay, warnings } = await loadDocument(contract, options);
  const hashes = files.map(({ url: { href }, bytes }, index) => [index === 0 ? '' : href, sha256Of(bytes)]);
  // What lenient reading accepts is not valid as it is written.
  const isFile = files.length === (text === undefined ? 1 : 0) && overlay === undefined && !isLenient;
  const bundled = isFile ? {} : { text: await yamlOf(document) };
  return {
    files: Object.fromEntries(hashes) as StoredContract['files'],
    ...(overlay && { overlay: sha256Of(overlay.bytes) }),
    ...(isLenient && { isLenient }),
    ...bundled,
    document: document as ContractDocument,
    integers: integersIn(document),
    warnings,
  };
}

async function yamlOf(document: unknown): Promise<string> {
  return (await import('./exact-integers.js')).stringifyExactYaml(document);
}

/** Whether the files, and no other overlay, are those that the build has checked. */
async function haveHashes(
  { contract: url, overlay, lenient = false }: ContractPlace,
  checked: StoredContract,
): Promise<boolean> {
  if (lenient !== (checked.isLenient ?? false)) return false;
  if ((overlay === undefined) !== (checked.overlay === undefined)) return false;
  const hashes = Object.entries(checked.files).map(([name, hash]) => [new URL(name, url), hash] as const);
  if (overlay !== undefined) hashes.push([fileUrlOf(overlay), checked.overlay ?? '']);
  const areEqual = hashes.map(async ([file, hash]) => sha256Of(await readFile(file)) === hash);
  return (await Promise.all(areEqual).catch(() => [false])).every(Boolean);
}

/** Returns `undefined` if the file of the build is missing or cannot be read. */
function readChecked(url: URL): Promise<StoredContract | undefined> {
  return readFile(url, 'utf8')
    .then((text) => withIntegers(JSON.parse(text) as StoredContract))
    .catch(() => undefined);
}

function integersIn(value: unknown, path: readonly string[] = []): StoredContract['integers'] {
  if (typeof value === 'bigint') return [[path, String(value)]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => integersIn(member, [...path, name]));
}

function withIntegers(stored: StoredContract): StoredContract {
  for (const [path, digits] of stored.integers) {
    const owner = path.slice(0, -1).reduce<unknown>(memberOf, stored.document);
    setMember(owner as object, path.at(-1) ?? '', BigInt(digits));
  }
  return stored;
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
