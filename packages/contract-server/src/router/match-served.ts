import { memberOf } from '@contract-server/core/json/object-members.js';
import type { AnyHandlers } from '@contract-server/core/types/types.js';
import type { Request } from 'express';
import type { CompiledOperation } from '../backend/compiled-operation.js';
import type { CompiledRouter, Match, SimilarOperation } from '../backend/compiled-router.js';

/**
 * Finds what a request matches; `undefined` for a request that the router does not serve, which leaves it.
 *
 * @param path that of the contract, below a mount path.
 * @param others the paths of the contract that the request could also be for.
 */
export type MatchServed = (
  request: Pick<Request, 'method' | 'baseUrl'>,
  path: string,
  others?: readonly string[],
) => Match | undefined;

const notFound: Match = { kind: 'not found' };

/**
 * Compiles the decision which requests a router serves: those below the prefixes of the contract or, with
 * `unhandled: 'next'`, those of operations with a handler.
 *
 * A request that leaves the router reaches routes of the application, whose settings are unknown: by default, the route
 * `/books` also serves `/Books/`. So if a route of another operation that the router serves could receive it, it is a
 * 404 instead: no spelling of a path passes the authentication of its operation.
 */
export function compileMatchServed(router: CompiledRouter, handlers: AnyHandlers, unhandled?: 'next'): MatchServed {
  const handlerOf = ({ operationId }: CompiledOperation) => memberOf(handlers, operationId);
  const isServed = (operation: CompiledOperation) => unhandled !== 'next' || handlerOf(operation) !== undefined;
  const find = (method: string, path: string): Match => {
    const match = router.match(method, path);
    // Routes for GET also receive HEAD.
    const isOfGet = method === 'HEAD' && !(match.kind === 'operation' && isServed(match.operation));
    return isOfGet ? router.match('GET', path) : match;
  };
  /** Whether the router responds itself: with a handler, or with 405. */
  const isOwn = (match: Match) =>
    match.kind === 'operation' ? typeof handlerOf(match.operation) === 'function' : isRejected(match);
  const isRejected = ({ kind }: Match) => unhandled !== 'next' && kind === 'method not allowed';
  // Without a prefix and a mount path, the paths of others are unknown paths of this contract.
  const isBelow = (baseUrl: string, path: string) =>
    unhandled !== 'next' &&
    router.prefixes.some((each) => (each !== '' || baseUrl !== '') && (path === each || path.startsWith(`${each}/`)));
  return ({ method, baseUrl }, path, others = []) => {
    const match = find(method, path);
    if (isOwn(match)) return match;
    const matched = match.kind === 'operation' ? match.operation : undefined;
    const similar = [path, ...others].flatMap((each) => router.operationsLike(method, each));
    if (similar.some((each) => isServed(each.operation) && couldReceive(each, matched))) return notFound;
    const isKept = matched === undefined ? isBelow(baseUrl, path) : isServed(matched);
    return isKept ? match : undefined;
  };
}

/**
 * Whether a route of another operation than the matched one could receive a request. Of routes for the same path, the
 * one with more text outside of its parameters does, as in the contract.
 */
function couldReceive({ operation, isExact }: SimilarOperation, matched: CompiledOperation | undefined): boolean {
  if (matched === undefined) return true;
  if (operation.path === matched.path && operation.declared.prefix === matched.declared.prefix) return false;
  const difference = textLength(operation) - textLength(matched);
  return difference > 0 || (difference === 0 && !isExact);
}

function textLength({ path, declared: { prefix } }: CompiledOperation): number {
  return `${prefix}${path}`.replace(/\{[^{}]*\}|\//g, '').length;
}
