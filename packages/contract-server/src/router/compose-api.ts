import { acceptsFiles } from '@contract-server/core/bodies/request-body.js';
import type { Contract, Operation } from '@contract-server/core/contract/contract.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import type { Report } from '@contract-server/core/lib/errors.js';
import type { ServedContract } from '@contract-server/core/load/load-contract.js';
import type { AnyHooks } from '@contract-server/core/types/hooks.js';
import type { AnyHandlers, Caller } from '@contract-server/core/types/types.js';
import type { Handler as BackendHandler } from 'openapi-backend';
import { createApi } from '../backend/create-api.js';
import { deleteLeftFiles } from '../http/bodies/temporary-files.js';
import type { ServedApi } from '../http/create-api-router.js';
import { type DeclareError, ErrorResponses } from '../http/errors/error-responses.js';
import { AddressLimit, type OnDecision } from '../http/limits/address-limit.js';
import { createLifecycleHandlers } from '../http/middleware/serve-operation.js';
import { type BasicCredentials, parseBasicCredentials } from '../http/security/basic-credentials.js';
import { requireSecuritySchemes, type SchemeHandler, type SchemeHandlers } from '../http/security/security.js';
import type { KeyRedactor } from '../log/key-redactor.js';
import { MemoryQuotaStore } from '../rate-limits/memory-quota-store.js';
import type { ApiBehaviour, SecurityHandler } from './api-behaviour.js';
import { requireHandlers, requireHooks } from './start-checks.js';

/** What the API of a contract is created from. */
export interface ApiDependencies extends Pick<ApiBehaviour, 'errors'> {
  readonly contract: ServedContract;
  readonly clock: Clock;
  readonly redactor: KeyRedactor;
  readonly report: Report;
}

/** What services, routers and mocks implement differently. */
export interface ApiParts extends Omit<ApiBehaviour, 'errors'>, Pick<ServedApi, 'links'> {
  readonly security: SchemeHandlers;
  readonly handlers: AnyHandlers;
  readonly before?: AnyHooks['before'] | undefined;
  readonly after?: AnyHooks['after'] | undefined;
  /** Default: in the memory of this process. */
  readonly quotas?: ServedApi['quotas'];
  readonly hasReference?: boolean;
  readonly hasStores?: boolean;
  /** Whether there is a next route, to which the handler `'next'` passes requests on. */
  readonly canPassOn?: boolean;
  /** The operations whose requests are served. Default: all, and requests that match none. */
  readonly servedOperations?: readonly Operation[];
  /** Whether client addresses are not limited. */
  readonly skipAddressLimit?: boolean;
  /** What the API is created from. Default: the contract. */
  readonly apiContract?: Contract;
  /** Serves operations without a handler. Default: 501. */
  readonly notImplemented?: BackendHandler;
  /** Default: errors have the response of the library. */
  readonly declareError?: DeclareError;
}

/**
 * Connects openapi-backend, the security handlers, the limits and the errors of a contract.
 *
 * @throws TypeError if the contract lacks something that the server needs.
 * @throws StartError if an operation or a security scheme has no handler, or uploaded files cannot be stored.
 */
export async function composeApi(
  { contract, clock, redactor, report, errors: options }: ApiDependencies,
  parts: ApiParts,
  onDecision: OnDecision,
): Promise<ServedApi> {
  const { links, handlers, notImplemented } = parts;
  const { rejectInvalidCredentials, hasReference = false } = parts;
  const { servedOperations: operations } = parts;
  const schemes = requireSecuritySchemes(contract, parts.security, operations && { operations, requirements: [] });
  const isPartial = operations !== undefined || notImplemented !== undefined;
  requireHandlers(contract, handlers, { isPartial, canPassOn: parts.canPassOn === true });
  const hooks = { before: parts.before, after: parts.after };
  requireHooks(contract, hooks);
  const hasUploads = acceptsFiles(contract);
  if (hasUploads) await deleteLeftFiles();
  const addressLimit = new AddressLimit(contract, onDecision, parts.skipAddressLimit);
  const handlersOfSchemes = Object.values(parts.security);
  const sources = {
    hasApiKeys: handlersOfSchemes.some((handler) => handler.hasApiKeys),
    hasCredentials: handlersOfSchemes.some((handler) => !handler.hasApiKeys),
    hasStores: parts.hasStores === true || hasUploads,
    hasReference,
  };
  const { validateResponses, declareError: declare } = parts;
  const errorParts = { options, sources, declare, validateResponses };
  const errors = new ErrorResponses(contract, redactor, report, errorParts);
  const lifecycleHandlers = {
    ...createLifecycleHandlers(errors, hasReference),
    ...(notImplemented && { notImplemented }),
  };
  const { apiContract = contract } = parts;
  const api = await createApi({ contract: apiContract, handlers, lifecycleHandlers, links, hooks, validateResponses });
  const { quotas = new MemoryQuotaStore(contract.banRule, clock) } = parts;
  return {
    ...{ contract, api, links, schemes, quotas, onDecision, addressLimit, errors, clock },
    ...{ rejectInvalidCredentials, hasReference },
  };
}

/**
 * The security handlers of a service or a router as the server calls them. Malformed credentials of the scheme Basic
 * are invalid, and do not reach them.
 *
 * @param security a handler is a function of the application, or an object that is ready.
 * @param context what functions receive besides the request.
 */
export function schemeHandlersOf(
  { securitySchemes }: Contract,
  security: Readonly<Record<string, SecurityHandler<never, Caller, never> | SchemeHandler | undefined>> = {},
  context: object = {},
): SchemeHandlers {
  const handlers = Object.entries(security).flatMap(([name, handler]): [string, SchemeHandler][] => {
    if (handler === undefined) return [];
    if (typeof handler === 'object') return [[name, handler]];
    const identify = handler as SecurityHandler<object, Caller, string | BasicCredentials>;
    const scheme = securitySchemes.get(name);
    if (scheme?.type !== 'http' || scheme.scheme.toLowerCase() !== 'basic')
      return [[name, { identify: (credentials, request) => identify(credentials, { request, ...context }) }]];
    const identifyByName: SchemeHandler['identify'] = (text, request) => {
      const credentials = parseBasicCredentials(text);
      return credentials && identify(credentials, { request, ...context });
    };
    return [[name, { identify: identifyByName }]];
  });
  return Object.fromEntries(handlers);
}
