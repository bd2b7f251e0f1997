import type { Values } from './compared-document.js';

type Requirement = Readonly<Record<string, readonly string[]>>;

/** Whether each way to authenticate is still one, with the same schemes and scopes or fewer of them. */
export function acceptsAll(before: unknown, after: unknown): boolean {
  const [olds, news] = [alternativesOf(before), alternativesOf(after)];
  return olds.every((given) => news.some((required) => isSatisfied(required, given)));
}

/** The security of an operation: its own one, or that of the document. */
export function securityOf(document: Values, operation: Values): unknown {
  return operation['security'] ?? document['security'];
}

/** An empty list, and none, require nothing. */
function alternativesOf(security: unknown): readonly Requirement[] {
  const list = (security ?? []) as readonly Requirement[];
  return list.length === 0 ? [{}] : list;
}

function isSatisfied(required: Requirement, given: Requirement): boolean {
  return Object.entries(required).every(([scheme, scopes]) => {
    const known = given[scheme];
    return known !== undefined && scopes.every((scope) => known.includes(scope));
  });
}
