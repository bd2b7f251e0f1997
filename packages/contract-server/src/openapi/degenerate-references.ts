import type { Problem } from './contract-error.js';
import { findAt } from './json-pointer.js';

/** The names of data, whose `$ref` is no reference. */
const data = /^(?:x-.*|examples?|default|enum|const|value)$/;

/**
 * Finds references that describe nothing: those that lead to themselves, also through others, or to the whole document,
 * and those that are no URI reference.
 *
 * @param url of the document.
 */
export function degenerateReferences(document: object, url: URL): Problem[] {
  const problems: Problem[] = [];
  const visited = new Set<object>();
  const visit = (node: unknown, path: readonly string[]): void => {
    // An alias of YAML is the same object in several places.
    if (typeof node !== 'object' || node === null || visited.has(node)) return;
    visited.add(node);
    const { $ref } = node as { readonly $ref?: unknown };
    const end = typeof $ref === 'string' ? endOf(document, node, $ref, url) : undefined;
    if (end !== undefined) problems.push({ path: [...path, '$ref'], message: `\`$ref: ${String($ref)}\` ${end}.` });
    for (const [name, inner] of Object.entries(node)) if (!data.test(name)) visit(inner, [...path, name]);
  };
  visit(document, []);
  return problems;
}

function endOf(document: object, node: object, $ref: string, url: URL): string | undefined {
  if (!isDecodable($ref)) return 'has an invalid percent escape';
  if (isDocument($ref, url)) return 'leads to the whole document; refer to a part of it';
  return isCircular(document, node) ? 'leads to itself; write what it describes' : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isDocument($ref: string, url: URL): boolean {
  if (!URL.canParse($ref, url.href)) return false;
  const { href, hash } = new URL($ref, url.href);
  return href.replace(/#.*/s, '') === url.href && /^(?:#\/?)?$/.test(hash);
}

function isCircular(document: object, node: object): boolean {
  const followed = new Set<unknown>([node]);
  for (const each of followed) {
    const { $ref } = each as { readonly $ref?: unknown };
    if (typeof $ref !== 'string' || !$ref.startsWith('#/') || !isDecodable($ref)) continue;
    const target = findAt(document, $ref);
    if (target === node) return true;
    if (typeof target === 'object' && target !== null) followed.add(target);
  }
  return false;
}
