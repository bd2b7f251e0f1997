import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenAPIV3 } from 'openapi-types';
import { isAlias, isMap, isNode, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { ContractError, formatProblem, type Position } from './contract-error.js';
import { findAt } from './json-pointer.js';

/** A document in one or several files. */
export interface ReadDocument {
  readonly document: OpenAPIV3.Document;
  /** The files that it was read from. The first one is that of the contract. */
  readonly files: readonly SourceFile[];
  /** The position of a value, or of the closest one around it, in the file that contains it. */
  readonly locate: (path: readonly (string | number)[]) => Position;
}

export interface SourceFile {
  readonly url: URL;
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** Where an object or an array of the document comes from. */
interface Origin {
  readonly url: URL;
  readonly node: Node;
  readonly lines: LineCounter;
}

/** The members whose values contain no references. */
const literals = new Set(['example', 'value', 'default', 'enum', 'const']);
/** The members whose own members have any name. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'schemas', 'parameters', 'headers', 'responses']);

/** The members that are objects or arrays. */
function members(node: Values): [name: string, child: Values][] {
  return Object.entries(node).filter((member): member is [string, Values] => isObject(member[1]));
}

/** Whether the value of a member is data, or an extension, which has references of its own. */
function isData(name: string): boolean {
  return literals.has(name) || name.startsWith('x-');
}

type Values = Record<string, unknown>;
const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/**
 * Reads a document. References to other files are resolved from the file that contains them: schemas become components,
 * and everything else takes the place of its reference.
 *
 * @throws ContractError if a file is missing or not YAML, or a reference leads to no file or nowhere.
 */
export async function readDocument(url: URL): Promise<ReadDocument> {
  const reader = new DocumentReader(url);
  const { value } = await reader.readFile(url);
  if (!isObject(value)) throw reader.error(value, 'The contract is not an OpenAPI document.');
  reader.schemas = (((value['components'] ??= {}) as Values)['schemas'] ??= {}) as Values;
  await reader.bundle(reader.schemas, url, true, true);
  await reader.bundle(value, url, false);
  return {
    document: value as unknown as OpenAPIV3.Document,
    files: [...reader.files.values()],
    locate: (path) => reader.locate(value, path),
  };
}

class DocumentReader {
  /** By URL. */
  readonly files = new Map<string, SourceFile>();
  schemas: Values = {};
  private readonly origins = new WeakMap<object, Origin>();
  private readonly bundled = new Set<object>();
  /** The references of schemas in other files, by URL. */
  private readonly references = new Map<string, string>();

  constructor(private readonly root: URL) {}

  async readFile(url: URL, from?: object): Promise<SourceFile> {
    const present = this.files.get(url.href);
    if (present !== undefined) return present;
    const bytes = await readFile(url).catch((error: unknown) => {
      throw this.error(from, `${nameOf(url)} cannot be read: ${(error as Error).message}.`);
    });
    const lines = new LineCounter();
    let text;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw this.error(from, `${nameOf(url)} is not UTF-8.`);
    }
    const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const [first] = parsed.errors;
    if (first !== undefined)
      throw new ContractError(formatProblem(positionOf(url, lines, first.pos[0]), `${first.message}.`));
    const file = { url, bytes, value: parsed.toJS() as unknown };
    if (parsed.contents !== null) this.remember(file.value, { url, lines, node: parsed.contents });
    this.files.set(url.href, file);
    return file;
  }

  /** Remembers where the objects of a file come from. An alias is the same object as its anchor. */
  private remember(value: unknown, origin: Origin): void {
    const { node } = origin;
    if (!isObject(value) || isAlias(node) || this.origins.has(value)) return;
    this.origins.set(value, origin);
    const items = isMap(node) || isSeq(node) ? node.items : [];
    items.forEach((item, index) => {
      const pair = item as Pair<Node, Node | null>;
      const [name, child] = isNode(item) ? [index, item] : [String(pair.key), pair.value];
      if (isNode(child)) this.remember(value[name], { ...origin, node: child });
    });
  }

  /**
   * Resolves the references to other files, in place.
   *
   * @param isSchema whether it is a schema, or a part of one.
   * @param isMap whether its names are chosen by the author.
   */
  async bundle(node: unknown, base: URL, isSchema: boolean, isMap = false): Promise<void> {
    if (!isObject(node) || this.bundled.has(node)) return;
    this.bundled.add(node);
    for (const [name, child] of isMap ? members(node) : members(node).filter(([name]) => !isData(name))) {
      const isInSchema = isSchema || name === 'schema';
      if (this.leadsElsewhere(child, name, base)) node[name] = await this.target(node, name, base, isInSchema);
      else await this.bundle(child, base, isInSchema, maps.has(name));
    }
    if (isSchema && !isMap) await this.resolveMapping(node['discriminator'], base);
  }

  /** The values of the mapping of a discriminator are names of schemas or references. */
  private async resolveMapping(discriminator: unknown, base: URL): Promise<void> {
    const { mapping = {} } = (discriminator ?? {}) as { readonly mapping?: Values };
    for (const [value, $ref] of Object.entries(mapping)) {
      const reference = { $ref };
      const isReference = typeof $ref === 'string' && /[/#]|\.(?:ya?ml|json)$/.test($ref);
      if (!isReference || !this.leadsElsewhere(reference, value, base)) continue;
      mapping[value] = ((await this.toComponent(reference, base)) as Values)['$ref'];
    }
  }

  /** What takes the place of a reference to another file. */
  private target(parent: Values, name: string, base: URL, isSchema: boolean): Promise<unknown> {
    const reference = parent[name] as Values;
    if (!isSchema) return this.inlined(reference, base);
    return this.toComponent(reference, base, parent === this.schemas ? name : undefined);
  }

  /** Whether a reference must be resolved: one to another file, and that of a path. */
  private leadsElsewhere({ $ref }: Values, name: string, base: URL): boolean {
    if (typeof $ref !== 'string') return false;
    return !$ref.startsWith('#') || base.pathname !== this.root.pathname || name.startsWith('/');
  }

  private async inlined(reference: Values, base: URL): Promise<unknown> {
    const $ref = String(reference['$ref']);
    const parent = { found: await this.find(reference, $ref, base) };
    await this.bundle(parent, new URL($ref, base), false);
    return parent.found;
  }

  /**
   * A reference to a schema in another file, which becomes a component, under its own name if that is free.
   *
   * @param component the name of the component that the reference is. Then the schema takes its place.
   */
  private async toComponent(reference: Values, base: URL, component?: string): Promise<unknown> {
    const target = new URL(String(reference['$ref']).replace(/#$/, ''), base);
    const present = target.pathname === this.root.pathname ? target.hash : this.references.get(target.href);
    if (present !== undefined) return Object.assign(reference, { $ref: present });
    const schema = await this.find(reference, target.href, base);
    const own = decodeURIComponent(/([^/#]+?)(?:\.\w+)?$/.exec(target.href)?.[1] ?? '').replace(/[^\w.-]/g, '_');
    let name = component ?? own;
    for (let count = 2; component === undefined && Object.hasOwn(this.schemas, name); count += 1)
      name = `${own}${String(count)}`;
    this.references.set(target.href, `#/components/schemas/${name}`);
    const parent = { [name]: schema };
    this.schemas[name] = schema;
    await this.bundle(parent, target, true);
    this.schemas[name] = parent[name];
    return component === undefined ? Object.assign(reference, { $ref: `#/components/schemas/${name}` }) : schema;
  }

  private async find(reference: object, $ref: string, base: URL): Promise<unknown> {
    const target = new URL($ref, base);
    if (target.protocol !== 'file:') throw this.error(reference, `$ref ${$ref} is not a file.`);
    const { hash } = target;
    target.hash = '';
    const { value } = await this.readFile(target, reference);
    const found = hash === '' ? value : findAt(value, hash);
    if (!isObject(found)) throw this.error(reference, `$ref ${$ref} leads nowhere.`);
    return found;
  }

  /** @param from the object that contains the mistake. */
  error(from: unknown, message: string): ContractError {
    const origin = isObject(from) ? this.origins.get(from) : undefined;
    const offset = origin?.node.range?.[0] ?? 0;
    return new ContractError(formatProblem(positionOf(origin?.url ?? this.root, origin?.lines, offset), message));
  }

  locate(document: unknown, path: readonly (string | number)[]): Position {
    let position = positionOf(this.root, undefined, 0);
    let value = document;
    for (const name of path) {
      if (!isObject(value)) break;
      const origin = this.origins.get(value);
      const offset = origin && offsetOf(origin.node, name);
      if (origin && offset !== undefined) position = positionOf(origin.url, origin.lines, offset);
      value = value[name];
    }
    return position;
  }
}

/** The offset of the name of a member, or of an item. */
function offsetOf(node: Node, name: string | number): number | undefined {
  if (isSeq(node)) return (node.items[Number(name)] as Node | undefined)?.range?.[0];
  if (!isMap(node)) return undefined;
  const key = node.items.find((pair) => String(pair.key) === String(name))?.key as Node | undefined;
  return (key ?? node).range?.[0];
}

function positionOf(url: URL, lines: LineCounter | undefined, offset: number): Position {
  const { line, col } = lines?.linePos(offset) ?? { line: 1, col: 1 };
  return { file: nameOf(url), line, column: col };
}

/** The path of a file, from the working directory. */
function nameOf(url: URL): string {
  return relative('', fileURLToPath(url));
}
