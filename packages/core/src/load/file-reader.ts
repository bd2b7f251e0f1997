import { readFile, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { BaseResolver, type Document, ResolveError, Source } from '@redocly/openapi-core';
import { type ExactMember, parseExactYaml, takeExactMembers } from './exact-integers.js';

export interface ReadFile {
  readonly url: URL;
  readonly bytes: Buffer;
}

/** Reads the files of a contract: nothing else, such as a URL or a device, whose content may never end. */
export class FileReader extends BaseResolver {
  /** In the order in which they were read. */
  readonly files: ReadFile[] = [];
  /** The integers of all files that a double does not hold, until they are put in its place. */
  readonly exactMembers: ExactMember[] = [];

  /**
   * @param path the absolute path of the contract, which can be a pipe.
   * @param text of a contract that is no file.
   * @param change returns the value of the contract, as parsed or changed.
   */
  constructor(
    private readonly path: string,
    private readonly text: string | undefined,
    private readonly change?: (document: Document) => unknown,
  ) {
    super();
  }

  /** Whether the contract refers to files. */
  get hasReferences(): boolean {
    return this.files.length > (this.text === undefined ? 1 : 0);
  }

  /** A reference to a file is a URI, in which characters can be percent-encoded (RFC 3986, section 2.1). */
  override resolveExternalRef(base: string | null, reference: string): string {
    return super.resolveExternalRef(base, base === null ? reference : decodeURIComponent(reference));
  }

  override async loadExternalRef(path: string): Promise<Source> {
    if (path === this.path && this.text !== undefined) return new Source(path, this.text);
    try {
      if (path.includes('://')) throw new TypeError(`${path} is a URL; refer to a file`);
      if (path !== this.path && !(await stat(path)).isFile()) throw new TypeError(`${path} is not a file`);
      const bytes = await readFile(path);
      this.files.push({ url: pathToFileURL(path), bytes });
      return new Source(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch (error) {
      throw new ResolveError(error as Error);
    }
  }

  override parseDocument(source: Source, isRoot?: boolean): Document {
    const document = super.parseDocument(source, isRoot);
    requireBounded(document.parsed);
    // Any other file is text, which Redocly does not parse.
    if (typeof document.parsed !== 'object') return document;
    const written: unknown = parseExactYaml(source.body, document.parsed);
    const parsed = (isRoot === true && this.change?.({ source, parsed: written })) || written;
    this.exactMembers.push(...takeExactMembers(parsed));
    return { source, parsed };
  }
}

/** The maximum number of values in a file, each alias with all of its values: some lines can mean billions. */
const valuesMax = 2_000_000;

/** Whether a value has no more values than a file may have, and does not contain itself. */
export function isBounded(value: unknown): boolean {
  return countValues(value) <= valuesMax;
}

/** @throws ResolveError */
function requireBounded(parsed: unknown): void {
  if (isBounded(parsed)) return;
  const message = `The aliases of YAML make more than ${String(valuesMax)} values of the file. Use references.`;
  throw new ResolveError(new Error(message));
}

/** The number of values in a value, itself included; `Infinity` for one that contains itself. */
function countValues(value: unknown, counted = new Map<unknown, number>()): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = counted.get(value);
  if (known !== undefined) return known;
  counted.set(value, Infinity);
  let count = 1;
  for (const member of Object.values(value)) count += countValues(member, counted);
  counted.set(value, count);
  return count;
}
