import { type OpenAPI3, resolveRef } from 'openapi-typescript';

/**
 * Returns the document with every reference replaced by its target. An `allOf` of one schema, by which OpenAPI 3.0 adds
 * a description to a reference, becomes that schema. The contract has no circular references, which would not end here.
 */
export function dereference<T extends object>(document: T): T {
  return inline(document) as T;

  function inline(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(inline);
    if (typeof node !== 'object' || node === null) return node;
    if ('$ref' in node)
      return inline(resolveRef(document as unknown as OpenAPI3, String(node.$ref), { silent: false }));
    const { allOf, ...rest } = node as { allOf?: unknown };
    if (Array.isArray(allOf) && allOf.length === 1)
      return { ...(inline(allOf[0]) as object), ...(inline(rest) as object) };
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, inline(value)]));
  }
}
