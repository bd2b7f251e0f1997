import type { LocationObject, NormalizedProblem } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { OpenAPIV3 } from 'openapi-types';
import { findAt, unescapeName } from '../contract/json-pointer.js';

/** A node of the document, or of another file of it, with its type. */
export interface TypedNode {
  readonly node: object;
  readonly type: string;
  /** Whether it contains nodes by any name, such as `paths`. */
  readonly isMap: boolean;
}

/** A node that contains a place, with its depth in the pointer. */
export interface LocatedNode extends TypedNode {
  readonly depth: number;
}

/**
 * Takes what is invalid out of a document, in place, so that the later checks apply to all of the rest and report no
 * consequences: a schema becomes one of any value, and an operation that uses another invalid part is removed.
 */
export class BrokenParts {
  private readonly nodes = new Map<string, TypedNode>();
  private readonly broken = new Set<unknown>();

  /** A rule that remembers the place of each node. */
  readonly rule: Oas3Rule = () => ({
    any: {
      enter: (node: unknown, { location, type }) => {
        if (typeof node !== 'object' || node === null) return;
        const isMap = type.additionalProperties !== undefined && type.name !== 'Schema';
        this.nodes.set(location.absolutePointer, { node, type: type.name, isMap });
      },
    },
  });

  /** Empties the invalid schema, removes the unknown member, or remembers the node that is broken. */
  add({ message, location: [place] }: NormalizedProblem): void {
    if (place?.pointer === undefined) return;
    const names = namesOf(place);
    const around = this.around(place);
    const [nearest] = around;
    if (nearest === undefined) return;
    const [member] = names.slice(nearest.depth);
    const schema = around.find(({ type }) => type === 'Schema');
    const isRemoved = nearest.isMap || nearest.type === 'Root' || message.startsWith('Property ');
    if (member !== undefined && isRemoved) remove(nearest.node, member);
    else if (schema !== undefined) emptySchema(schema.node);
    else if (nearest.type !== 'Root') this.broken.add(nearest.node);
  }

  /** The nodes that contain a place, the innermost first. */
  around(place: LocationObject): LocatedNode[] {
    const { absoluteRef: file } = place.source;
    const names = namesOf(place);
    const nodes = [
      this.nodes.get(file),
      ...names.map((_, index) => this.nodes.get(`${file}#/${names.slice(0, index + 1).join('/')}`)),
    ];
    return nodes.flatMap((node, depth) => (node === undefined ? [] : [{ ...node, depth }])).reverse();
  }

  /** Handles a reference that leads nowhere. */
  addReference(node: { $ref?: string }, type: string): void {
    if (['Parameter', 'RequestBody', 'Response', 'SecurityScheme'].includes(type)) this.broken.add(node);
    else delete node.$ref;
  }

  /** Removes what contains something broken from a document. */
  takeOut(document: OpenAPIV3.Document): void {
    if (this.broken.size === 0) return;
    const isBroken = this.finder(document);
    const removeFrom = (container: unknown) => {
      for (const [name, part] of entriesOf(container))
        if (isBroken(part)) Reflect.deleteProperty(container as object, name);
    };
    const { paths, components, ...others } = document as object as Record<string, unknown>;
    for (const [, item] of entriesOf(paths)) if (!this.broken.has(item)) removeFrom(item);
    for (const [, section] of entriesOf(components)) removeFrom(section);
    removeFrom(paths);
    for (const [name, part] of Object.entries(others)) if (isBroken(part)) remove(document, name);
  }

  /** Schemas are not searched: those that are invalid have been emptied. */
  private finder(document: object): (node: unknown) => boolean {
    const results = new Map<unknown, boolean>();
    const isBroken = (node: unknown): boolean => {
      if (typeof node !== 'object' || node === null) return false;
      const known = results.get(node);
      if (known !== undefined) return known;
      results.set(node, false);
      const { $ref } = node as { readonly $ref?: unknown };
      const isFollowed = typeof $ref === 'string' && /^#\/components\/(?!schemas\/)/.test($ref);
      const result =
        this.broken.has(node) ||
        (isFollowed && isBroken(findAt(document, $ref))) ||
        Object.entries(node).some(([name, value]) => name !== 'schema' && isBroken(value));
      results.set(node, result);
      return result;
    };
    return isBroken;
  }
}

/** The names in a pointer, escaped. */
function namesOf({ pointer = '' }: LocationObject): string[] {
  return pointer.split('/').slice(1).filter(Boolean);
}

function entriesOf(node: unknown): [string, unknown][] {
  return typeof node === 'object' && node !== null ? Object.entries(node) : [];
}

/** Removes a member by its name in a pointer. */
function remove(container: object, name: string): void {
  if (!Array.isArray(container)) Reflect.deleteProperty(container, unescapeName(name));
}

/** Makes a schema one of any value. */
export function emptySchema(schema: object): void {
  for (const name of Object.keys(schema)) Reflect.deleteProperty(schema, name);
}
