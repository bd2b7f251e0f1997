import type { Document } from '@redocly/openapi-core';
import { pointerTo } from '../contract/json-pointer.js';
import type { LocatedProblem } from './problem-lines.js';
import type { ReferenceChains } from './reference-chains.js';
import {
  isDecodable,
  isReference,
  type PlacedReference,
  type PlacedValue,
  ReferenceTargets,
  rootOf,
} from './reference-targets.js';

/** The names of data, whose `$ref` is no reference. */
const data = /^(?:x-.*|example|default|enum|const|value)$/;
/** The names of objects that have a member for each name that the document defines, such as `default` or `value`. */
const maps =
  /^(?:properties|patternProperties|dependentSchemas|\$defs|definitions|schemas|responses|parameters|examples|requestBodies|headers|securitySchemes|links|callbacks|pathItems|paths|webhooks|content)$/;
/** Parts of a document that are no single path item, schema or other component. */
const collections = /^(?:paths|webhooks|components(?:\/[^/]*)?)$/;

/** A value that is searched. */
interface Visit extends PlacedValue {
  readonly isMap: boolean;
  /** The place in the document that leads to it. */
  readonly origin: readonly string[];
}

/** Finds references that describe nothing, in a document and in what it refers to. */
export class DegenerateReferences {
  constructor(
    private readonly document: Document,
    private readonly targets: ReferenceTargets,
    private readonly chains: ReferenceChains,
  ) {}

  /**
   * Finds references that lead to themselves, also through others, or to the whole document, and those that are no URI
   * reference.
   *
   * @param inData whether to find only those that lead to themselves, also in data such as an example.
   */
  async find(inData = false): Promise<readonly LocatedProblem[]> {
    const problems: LocatedProblem[] = [];
    const visits: Visit[] = [{ ...rootOf(this.document), isMap: false, origin: [] }];
    const visited = new Set<unknown>();
    // A loop, because documents can be nested more deeply than calls. It also visits what is added.
    for (const visit of visits) {
      // An alias of YAML is the same object in several places.
      if (typeof visit.value !== 'object' || visit.value === null || visited.has(visit.value)) continue;
      visited.add(visit.value);
      const origin = visit.file === this.document ? visit.path : visit.origin;
      for (const member of membersOf(visit, inData)) visits.push({ ...member, origin });
      if (!isReference(visit)) continue;
      problems.push(
        ...(await this.problemsOf(visit, inData)).map((problem) => ({ ...problem, origin: pointerTo(origin) })),
      );
      const target = await this.targets.of(visit);
      if (target !== undefined) visits.push({ ...target, isMap: visit.isMap, origin });
    }
    return problems;
  }

  private async problemsOf(reference: PlacedReference, inData: boolean): Promise<LocatedProblem[]> {
    const { file, path, value } = reference;
    const end = inData ? undefined : await this.endOf(reference);
    const isCircular = end === undefined && (await this.chains.isCircular(reference));
    const problem = isCircular ? 'leads to itself; write what it describes' : end;
    const place = { source: file.source, pointer: pointerTo([...path, '$ref']), reportOnKey: true };
    return problem === undefined ? [] : [{ message: `\`$ref: ${value.$ref}\` ${problem}.`, place }];
  }

  private async endOf(reference: PlacedReference): Promise<string | undefined> {
    if (!isDecodable(reference.value.$ref)) return 'has an invalid percent escape';
    const target = await this.targets.of(reference);
    if (target?.file !== this.document || target.value === reference.value) return undefined;
    if (target.path.length === 0) return 'leads to the whole document; refer to a part of it';
    return collections.test(target.path.join('/')) ? 'leads to several parts; refer to one of them' : undefined;
  }
}

function membersOf({ value, file, path, isMap }: Visit, inData: boolean): Omit<Visit, 'origin'>[] {
  const isList = Array.isArray(value);
  return Object.entries(value as object).flatMap(([name, member]) => {
    const isData = !isMap && (data.test(name) || (name === 'examples' && Array.isArray(member)));
    if (isData && !inData) return [];
    return { file, path: [...path, name], value: member as unknown, isMap: !isMap && !isList && maps.test(name) };
  });
}
