import type { IncomingMessage } from 'node:http';
import { type Contract, isRemoved } from '@contract-server/core/contract/contract.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { ApiError, toError } from '@contract-server/core/lib/errors.js';
import { quotedString } from '@contract-server/core/lib/header-text.js';
import type { Caller } from '@contract-server/core/types/types.js';
import type { RequestHandler } from 'express';
import type { CompiledOperation, SecurityRequirement } from '../../backend/compiled-operation.js';
import { requireContext } from '../request-context.js';
import type { Identity, SecurityScheme, SecuritySchemes } from './security.js';

/**
 * Identifies the callers of a request by the security schemes of its operation; by those of the root of the contract if
 * the request matches no operation, or one without a scheme. Without a caller that has a quota, the limit of the client
 * address applies. It rejects nothing, because some operations need no caller, and a rejected request is counted too.
 */
export function authenticate(schemes: SecuritySchemes, { requirements }: Contract): RequestHandler {
  const common = [...new Set(requirements.flatMap((requirement) => Object.keys(requirement)))];
  return (request, _response, next) => {
    const context = requireContext(request);
    const { match } = context;
    const names = match?.kind === 'operation' && match.operation.schemes.length > 0 ? match.operation.schemes : common;
    const found = names.map((name) => identify(schemes, name, request));
    const proceed = (identities: readonly Identity[]) => {
      context.identities = identities;
      for (const identity of identities) {
        if (typeof identity !== 'object') continue;
        context.firstCaller ??= identity;
        context.quota ??= identity.quota;
      }
      next();
    };
    if (found.some((identity) => identity instanceof Promise))
      return Promise.all(found as Promise<Identity>[]).then(proceed, (error: unknown) => next(toError(error)));
    proceed(found as Identity[]);
    return undefined;
  };
}

/** An error becomes a rejection, so that those of the other schemes are handled as well. */
function identify(schemes: SecuritySchemes, name: string, request: IncomingMessage): Identity | Promise<Identity> {
  try {
    return schemes.get(name)?.identify(request) ?? 'missing';
  } catch (error) {
    const reason = error as Error;
    return Promise.reject(reason);
  }
}

/**
 * Decides whether the request may call the operation, before the body is read: it must satisfy one of the security
 * requirements. 401 and 403 take precedence over 410. A request that matches no operation passes: `serveOperation`
 * rejects it.
 *
 * @param rejectInvalid whether invalid credentials are a 401 where the operation needs none; otherwise the request is
 * anonymous.
 */
export function authorize(schemes: SecuritySchemes, clock: Clock, rejectInvalid = false): RequestHandler {
  return (request, _response, next) => {
    const context = requireContext(request);
    const { match, identities } = context;
    if (match?.kind === 'operation') {
      const { operation } = match;
      const requirement = findSatisfied(operation.requirements, identities);
      const isOptional = requirement?.length === 0 && operation.schemes.length > 0;
      const isRejected = rejectInvalid && isOptional && identities.includes('invalid');
      if (requirement === undefined || isRejected) throw denied(operation.requirements, identities, schemes);
      if (isRemoved(operation.declared.deprecation, clock())) throw operationRemoved(operation);
      context.requirement = requirement;
    }
    next();
  };
}

const nothingRequired: SecurityRequirement = [];

/** The first requirement that is satisfied; `undefined` if none is. */
function findSatisfied(
  requirements: readonly SecurityRequirement[],
  identities: readonly Identity[],
): SecurityRequirement | undefined {
  if (requirements.length === 0) return nothingRequired;
  return requirements.find((requirement) =>
    requirement.every(({ index, scopes }) => {
      const identity = identities[index];
      return typeof identity === 'object' && hasScopes(identity, scopes);
    }),
  );
}

function hasScopes({ scopes: granted = [] }: Caller, scopes: readonly string[]): boolean {
  return scopes.every((scope) => granted.includes(scope));
}

/** 403 if only scopes are missing to satisfy a requirement; otherwise 401, with a challenge for each unmet scheme. */
function denied(
  requirements: readonly SecurityRequirement[],
  identities: readonly Identity[],
  schemes: SecuritySchemes,
): ApiError {
  const isUnmet = ({ index }: { readonly index: number }) => typeof identities[index] !== 'object';
  const lacksScopes = requirements.find((requirement) => requirement.length > 0 && !requirement.some(isUnmet));
  if (lacksScopes !== undefined) return insufficientScope(lacksScopes, identities, schemes);
  const unmet = requirements.flat().filter(isUnmet);
  const rejections = unmet.map(({ name, index }) => {
    const { challenge, missing, invalid } = schemes.get(name) as SecurityScheme;
    if (identities[index] !== 'invalid') return { error: missing, challenge };
    // An error only if credentials were sent (RFC 6750, section 3).
    return { error: invalid, challenge: `${challenge}, error="invalid_token"`, isInvalid: true };
  });
  const [first] = [...rejections.filter(({ isInvalid }) => isInvalid), ...rejections];
  const [code, message] = (first as (typeof rejections)[number]).error;
  const challenges = new Set(rejections.map(({ challenge }) => challenge));
  return new ApiError(code, message, { headers: { 'WWW-Authenticate': [...challenges].join(', ') } });
}

/** 403, with the scopes that the operation requires (RFC 6750, section 3.1). */
function insufficientScope(
  requirement: SecurityRequirement,
  identities: readonly Identity[],
  schemes: SecuritySchemes,
): ApiError {
  const missingOf = ({ index, scopes }: SecurityRequirement[number]) =>
    scopes.filter((scope) => !hasScopes(identities[index] as Caller, [scope]));
  const lacking = requirement.filter((each) => missingOf(each).length > 0);
  const challenges = lacking.map(({ name, scopes }) => {
    const { challenge } = schemes.get(name) as SecurityScheme;
    return `${challenge}, error="insufficient_scope", scope=${quotedString(scopes.join(' '))}`;
  });
  const missing = lacking.flatMap(missingOf).join(' ');
  const message = `The credentials lack the scope \`${missing}\`. Request new ones that have it.`;
  return new ApiError('insufficient_scope', message, { headers: { 'WWW-Authenticate': challenges.join(', ') } });
}

/** 410. */
function operationRemoved({ operationId, declared: { deprecation } }: CompiledOperation): ApiError {
  const day = new Date(deprecation?.sunsetAt ?? 0).toISOString().slice(0, 10);
  const { successor } = deprecation ?? {};
  const message = `${operationId} was removed on ${day}.${successor === undefined ? '' : ` Use ${successor} instead.`}`;
  return new ApiError('operation_removed', message);
}
