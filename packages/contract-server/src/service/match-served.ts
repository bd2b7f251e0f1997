import type { Request } from 'express';
import type { CompiledRouter, Match } from '../backend/compiled-router.js';
import { memberOf } from '../json/object-members.js';
import type { AnyHandlers } from '../types/types.js';

/**
 * Finds what a request matches; `undefined` for a request that the router does not serve, which leaves it.
 *
 * @param path that of the contract, below a mount path.
 */
export type MatchServed = (request: Pick<Request, 'method' | 'baseUrl'>, path: string) => Match | undefined;

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
  const handlerOf = (match: Match) =>
    match.kind === 'operation' ? memberOf(handlers, match.operation.operationId) : undefined;
  const isServed = (match: Match) =>
    unhandled === 'next' ? handlerOf(match) !== undefined : match.kind !== 'not found';
  // Without a prefix and a mount path, the paths of others are unknown paths of this contract.
  const prefixesBelow = (baseUrl: string) =>
    unhandled === 'next' ? [] : router.prefixes.filter((each) => each !== '' || baseUrl !== '');
  return ({ method, baseUrl }, path) => {
    const match = router.match(method, path);
    if (typeof handlerOf(match) === 'function') return match;
    const loose = router.matchLoosely(method, path);
    if (isServed(loose) && !isSame(loose, match)) return notFound;
    const isBelow = prefixesBelow(baseUrl).some((each) => path === each || path.startsWith(`${each}/`));
    return isServed(match) || isBelow ? match : undefined;
  };
}

function isSame(one: Match, other: Match): boolean {
  if (one.kind !== 'operation' || other.kind !== 'operation') return one.kind === other.kind;
  return one.operation === other.operation;
}
