import type { Document } from '@redocly/openapi-core';
import { namesIn } from '../contract/json-pointer.js';
import { memberOf } from '../json/object-members.js';
import type { FileReader } from './file-reader.js';

/** A value in a file of a contract. */
export interface PlacedValue<Value = unknown> {
  readonly file: Document;
  readonly path: readonly string[];
  readonly value: Value;
}

export type PlacedReference = PlacedValue<{ $ref: string }>;

/** Follows references, also between files and in the middle of a pointer. It follows each only once. */
export class ReferenceTargets {
  private readonly targets = new Map<object, PlacedValue | undefined>();

  constructor(private readonly reader: FileReader) {}

  /** What a reference leads to, which can be another one; `undefined` if there is nothing. */
  async of(reference: PlacedReference): Promise<PlacedValue | undefined> {
    if (this.targets.has(reference.value)) return this.targets.get(reference.value);
    // A reference whose pointer leads through itself leads to itself.
    this.targets.set(reference.value, reference);
    const target = await this.find(reference);
    this.targets.set(reference.value, target);
    return target;
  }

  private async find({ file, value: { $ref } }: PlacedReference): Promise<PlacedValue | undefined> {
    const [uri = '', ...fragment] = $ref.split('#');
    const pointer = fragment.join('#');
    // An anchor of JSON Schema is not followed.
    if (!isDecodable($ref) || !/^(?:\/|$)/.test(pointer)) return undefined;
    let place = await this.open(file, uri);
    // Redocly, too, ignores empty names.
    for (const name of namesIn(pointer).filter(Boolean)) {
      place = place && (await this.holderOf(name, place));
      if (place === undefined || isReference(place)) return place;
      place = { ...place, path: [...place.path, name], value: memberOf(place.value, name) };
    }
    return place?.value === undefined ? undefined : place;
  }

  private async open(file: Document, uri: string): Promise<PlacedValue | undefined> {
    const { absoluteRef } = file.source;
    // Redocly reports a file that cannot be read.
    const opened = uri === '' ? file : await this.reader.resolveDocument(absoluteRef, uri).catch(() => undefined);
    return opened instanceof Error || opened === undefined ? undefined : rootOf(opened);
  }

  /** What has a member: a value, or what it leads to. A reference that only leads to itself is returned as it is. */
  private async holderOf(name: string, value: PlacedValue): Promise<PlacedValue | undefined> {
    const passed = new Set<unknown>();
    let holder: PlacedValue | undefined = value;
    while (holder !== undefined && memberOf(holder.value, name) === undefined) {
      if (!isReference(holder)) return undefined;
      if (passed.has(holder.value)) return holder;
      passed.add(holder.value);
      holder = await this.of(holder);
    }
    return holder;
  }
}

export function isReference(place: PlacedValue): place is PlacedReference {
  return typeof (place.value as { readonly $ref?: unknown } | null | undefined)?.$ref === 'string';
}

export function rootOf(file: Document): PlacedValue {
  return { file, path: [], value: file.parsed as unknown };
}

export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
