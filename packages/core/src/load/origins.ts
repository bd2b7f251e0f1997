import type { LocationObject, Source } from '@redocly/openapi-core';
import { pointerTo, unescapeName } from '../contract/json-pointer.js';

/** Where a value was written: the names that lead to it in a file. */
interface Origin {
  readonly source: Source;
  readonly path: readonly string[];
}

/** A value of the document. Without an origin of its own, it is where its parent says. */
interface Node {
  readonly origin?: Origin | undefined;
  readonly members: Map<string, Node>;
}

/** Where each value of an overlaid document was written: in its own file or in the overlay. */
export class Origins {
  private readonly root: Node;

  /** @param source the file of the document. */
  constructor(private readonly source: Source) {
    this.root = { origin: { source, path: [] }, members: new Map() };
  }

  /** The place where a part of the document was written. Places in other files are returned as they are. */
  locate(place: LocationObject): LocationObject {
    const { source, pointer } = place;
    if (source !== this.source || pointer === undefined) return place;
    const origin = this.of(pointer.split('/').slice(1).filter(Boolean).map(unescapeName));
    return { ...place, source: origin.source, pointer: pointerTo(origin.path) };
  }

  /** Remembers where the value at a path was written. */
  set(path: readonly string[], origin: Origin): void {
    this.parentOf(path).set(path.at(-1) ?? '', { origin, members: new Map() });
  }

  /** Forgets the member at a path, which was removed. */
  removeMember(path: readonly string[]): void {
    this.parentOf(path).delete(path.at(-1) ?? '');
  }

  /** Moves the items behind the one at a path, which was removed. @param length of the array before. */
  removeItem(path: readonly string[], length: number): void {
    const items = this.parentOf(path);
    for (let index = Number(path.at(-1)); index < length; index += 1) {
      const next = [...path.slice(0, -1), String(index + 1)];
      const { members = new Map<string, Node>() } = items.get(String(index + 1)) ?? {};
      items.set(String(index), { origin: this.of(next), members });
    }
  }

  private of(path: readonly string[]): Origin {
    let node: Node | undefined = this.root;
    let origin: Origin = { source: this.source, path: [] };
    for (const name of path) {
      node = node?.members.get(name);
      origin = node?.origin ?? { source: origin.source, path: [...origin.path, name] };
    }
    return origin;
  }

  private parentOf(path: readonly string[]): Map<string, Node> {
    let { members } = this.root;
    for (const name of path.slice(0, -1)) {
      const node = members.get(name) ?? { members: new Map<string, Node>() };
      members.set(name, node);
      members = node.members;
    }
    return members;
  }
}
