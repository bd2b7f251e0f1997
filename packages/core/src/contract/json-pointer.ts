import type { OpenAPIV3 } from 'openapi-types';
import { memberOf } from '../json/object-members.js';

/** Unescapes a name in a JSON Pointer (RFC 6901, section 4). */
export function unescapeName(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Escapes a name for a JSON Pointer (RFC 6901, section 3). */
export function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The names in a JSON Pointer in a URI fragment, `#/…` (RFC 6901, section 6). */
export function namesIn(fragment: string): string[] {
  const decoded = fragment.includes('%') ? decodeURIComponent(fragment) : fragment;
  const [, ...names] = decoded.split('/');
  return decoded.includes('~') ? names.map(unescapeName) : names;
}

/** The value that a JSON Pointer in a URI fragment, `#/…`, leads to; `undefined` if there is none. */
export function findAt(document: unknown, fragment: string): unknown {
  return namesIn(fragment).reduce((node, name) => memberOf(node, name), document);
}

/** Resolves a reference, also in sequence: loading refuses cycles. @throws TypeError if there is no such component. */
export function resolve<T extends object>(document: object, node: T | OpenAPIV3.ReferenceObject): T {
  const { $ref } = node as Partial<OpenAPIV3.ReferenceObject>;
  if ($ref === undefined) return node as T;
  const found = findAt(document, $ref) as T | undefined;
  if (found === undefined) throw new TypeError(`The contract has no ${$ref}.`);
  return resolve(document, found);
}

/** The JSON Pointer, as a URI fragment, to the value that names and indexes lead to. */
export function pointerTo(path: readonly (string | number)[]): string {
  return ['#', ...path.map((name) => escapeName(String(name)))].join('/');
}
