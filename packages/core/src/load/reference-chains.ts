import type { Document } from '@redocly/openapi-core';
import { pointerTo } from '../contract/json-pointer.js';
import { isReference, type PlacedReference, type PlacedValue, type ReferenceTargets } from './reference-targets.js';

type Reference = PlacedReference['value'];

/** What a reference leads to through others. */
interface Chain {
  readonly isCircular: boolean;
  /** The last of the references that lead to each other in one file, and their number. */
  readonly any: Hops;
  /** The same for those that have no other member. */
  readonly bare: Hops;
  /** What those lead to, in any file; another reference if it has other members. */
  readonly end: PlacedValue | undefined;
}

interface Hops {
  readonly last: string;
  readonly count: number;
}

/** More references in a sequence than documents have that people write. */
const hopsMax = 16;

/** The sequences of references. Each is followed once. */
export class ReferenceChains {
  private readonly chains = new Map<unknown, Chain>();
  private readonly followed: PlacedReference[] = [];

  constructor(private readonly targets: ReferenceTargets) {}

  /** Whether a reference leads to itself. */
  async isCircular(reference: PlacedReference): Promise<boolean> {
    const followed = new Map<unknown, PlacedReference>();
    let end: PlacedValue | undefined = reference;
    while (end !== undefined && isReference(end) && !followed.has(end.value) && !this.chains.has(end.value)) {
      followed.set(end.value, end);
      end = await this.targets.of(end);
    }
    this.add([...followed.values()], end);
    return this.chains.get(reference.value)?.isCircular === true;
  }

  /** Adds references, each of which leads to the next, from the last one on. */
  private add(references: readonly PlacedReference[], end: PlacedValue | undefined): void {
    const cycle = references.findIndex(({ value }) => value === end?.value);
    let next = end;
    for (let index = references.length - 1; index >= 0; index -= 1) {
      const reference = references[index] as PlacedReference;
      this.chains.set(reference.value, { ...this.chainOf(reference, next), isCircular: cycle >= 0 && index >= cycle });
      this.followed.push(reference);
      next = reference;
    }
  }

  private chainOf({ file, value }: PlacedReference, next: PlacedValue | undefined): Omit<Chain, 'isCircular'> {
    const none = { last: value.$ref, count: 0 };
    const rest = this.chains.get(next?.value);
    if (rest === undefined) return { any: none, bare: none, end: next };
    const isBare = Object.keys(next?.value as object).length === 1;
    const end = isBare ? rest.end : next;
    if (next?.file !== file) return { any: none, bare: none, end };
    const any = { ...rest.any, count: rest.any.count + 1 };
    return { any, bare: isBare ? { ...rest.bare, count: rest.bare.count + 1 } : none, end };
  }

  /**
   * Makes each reference that leads through many others lead to the last of them: Redocly follows all of them for each.
   * One that leads back into the document through another file, which Redocly does not bundle, then leads there.
   *
   * @returns a function that undoes it where the others have more members, which apply.
   */
  shorten(document: Document): () => void {
    const originals = new Map<Reference, string>();
    for (const { file, value: reference } of this.followed) {
      const { any, bare, end } = this.chains.get(reference) as Chain;
      const isBack = file === document && end?.file === document && !reference.$ref.startsWith('#');
      if (isBack) reference.$ref = pointerTo(end.path).replaceAll('%', '%25');
      if (bare.count > hopsMax) reference.$ref = bare.last;
      if (any.count === bare.count || any.count <= hopsMax) continue;
      originals.set(reference, reference.$ref);
      reference.$ref = any.last;
    }
    return () => {
      for (const [reference, $ref] of originals) reference.$ref = $ref;
    };
  }
}
