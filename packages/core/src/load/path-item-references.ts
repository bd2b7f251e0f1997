import type { Document } from '@redocly/openapi-core';
import type { OpenAPIV3 } from 'openapi-types';
import { findAt, pointerTo } from '../contract/json-pointer.js';
import type { LocatedProblem } from './problem-lines.js';
import { isReference, type PlacedValue, type ReferenceTargets } from './reference-targets.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Finds path items with members beside their `$ref` that have no defined meaning (OpenAPI 3.1.1, section 4.8.9): those
 * that are also in what it leads to. Those that only one of them has are merged.
 */
export async function pathItemProblems(document: Document, targets: ReferenceTargets): Promise<LocatedProblem[]> {
  const { paths } = document.parsed as { readonly paths?: Members | null };
  const problems: LocatedProblem[] = [];
  for (const [template, value] of Object.entries(paths ?? {})) {
    const origin = pointerTo(['paths', template]);
    const names = new Set<string>();
    let item: PlacedValue | undefined = { file: document, path: ['paths', template], value };
    while (item !== undefined) {
      const members = membersOf(item.value);
      const place = { source: item.file.source, pointer: pointerTo(item.path), reportOnKey: true };
      for (const name of members.filter((each) => names.has(each)))
        problems.push({
          message: `\`${name}\` is also beside a \`$ref\` that leads here; keep one of them.`,
          place,
          origin,
        });
      for (const name of members) names.add(name);
      if (!isReference(item)) break;
      if (item.file !== document && members.length > 0) problems.push({ message: lost, place, origin });
      item = await targets.of(item);
    }
  }
  return problems;
}

const lost = 'Members beside a `$ref` that another file refers to are not supported; write them in the path item.';

/** The members that change what is served. */
function membersOf(value: unknown): string[] {
  return Object.keys(value ?? {}).filter((name) => !/^(?:\$ref|summary|description|x-.*)$/.test(name));
}

/** Replaces references of paths by the path items that they lead to, with the members beside them, in place. */
export function inlinePathItems(document: Partial<OpenAPIV3.Document>): void {
  const paths = (document.paths ??= {});
  for (const [template, item = {}] of Object.entries(paths)) paths[template] = inlined(document, item);
}

function inlined(document: object, item: OpenAPIV3.PathItemObject): OpenAPIV3.PathItemObject {
  const { $ref, ...members } = item;
  if ($ref === undefined) return item;
  return inlined(document, { ...(findAt(document, $ref) as OpenAPIV3.PathItemObject), ...members });
}
