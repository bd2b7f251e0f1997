import { type OpenAPI3, resolveRef } from 'openapi-typescript';

/**
 * The document with every reference replaced by what it leads to, so that only what is said counts, and not where. An
 * `allOf` of one, by which OpenAPI 3.0 puts words beside a reference, becomes that one. The contract has no circles;
 * one would never end here.
 */
export function withoutReferences<T extends object>(document: T): T {
  return inlined(document) as T;

  function inlined(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(inlined);
    if (typeof node !== 'object' || node === null) return node;
    if ('$ref' in node)
      return inlined(resolveRef(document as unknown as OpenAPI3, String(node.$ref), { silent: false }));
    const { allOf, ...rest } = node as { allOf?: unknown };
    if (Array.isArray(allOf) && allOf.length === 1)
      return { ...(inlined(allOf[0]) as object), ...(inlined(rest) as object) };
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, inlined(value)]));
  }
}
