import type { OpenAPIV3 } from 'openapi-types';
import type { ErrorCodeDocs } from './extensions.js';
import { operationsOf } from './operations.js';

/** The errors that the modules return, by status. A contract adds its own codes, and can describe these. */
const moduleCodes: Readonly<Record<number, readonly string[]>> = {
  400: ['malformed_http', 'malformed_url', 'malformed_json', 'invalid_request', 'invalid_cursor'],
  401: ['missing_api_key', 'invalid_api_key'],
  404: ['route_not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  410: ['operation_removed'],
  413: ['body_too_large'],
  414: ['uri_too_long'],
  415: ['unsupported_media_type'],
  417: ['expectation_failed'],
  429: ['rate_limit_exceeded', 'daily_quota_exceeded', 'api_key_banned'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  501: ['not_implemented'],
  503: ['store_unavailable', 'server_busy', 'not_ready'],
};

type Extensions = Record<`x-${string}`, object | string | undefined>;

/** Adds the defaults of the extensions: without any, an operation is stable, and nothing is limited. */
export function completeDocument(document: OpenAPIV3.Document): void {
  const extensions = document as unknown as Extensions;
  const own = (extensions['x-error-codes'] ?? {}) as object;
  extensions['x-error-codes'] = { ...own, ...Object.fromEntries(missingCodes(own)) };
  // Bans that last no time.
  extensions['x-rate-limit-ban'] ??= { rejectedRequestsFactor: Number.MAX_SAFE_INTEGER, seconds: 0 };
  const plans = (extensions['x-rate-limit-plans'] ??= { unlimited: 'unlimited' }) as object;
  extensions['x-rate-limit-address-plan'] ??= Object.keys(plans)[0] ?? '';
  for (const { path, method, operation } of operationsOf(document)) {
    const defaults = { operationId: `${method.toUpperCase()} ${path}`, 'x-stability': 'stable' };
    Object.assign(operation, { ...defaults, ...operation });
  }
}

function missingCodes(own: object): [string, ErrorCodeDocs][] {
  return Object.entries(moduleCodes).flatMap(([status, names]) =>
    names.filter((name) => !(name in own)).map((name): [string, ErrorCodeDocs] => [name, { status: Number(status) }]),
  );
}
