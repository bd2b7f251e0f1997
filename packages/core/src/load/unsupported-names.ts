import type { Problem } from '../contract/contract-error.js';
import { isInherited } from '../schema/own-members.js';

/**
 * The first name in an extension or among scopes that Redocly looks up in an ordinary object, where it calls what it
 * finds: `valueOf` throws. Redocly reads any other part by its type, which has no inherited members.
 */
export function findUnsupportedName(document: object): Pick<Problem, 'path' | 'message'> | undefined {
  const path = findPath(document, false);
  return path && { path, message: `The name \`${path.at(-1) ?? ''}\` is not supported here.` };
}

function findPath(node: unknown, isData: boolean): readonly string[] | undefined {
  for (const [name, value] of Object.entries(Object(node) as object)) {
    if (isData && isInherited(name)) return [name];
    const isInData = isData || name.startsWith('x-') || name === 'scopes';
    const inner = typeof value === 'object' ? findPath(value, isInData) : undefined;
    if (inner !== undefined) return [name, ...inner];
  }
  return undefined;
}
