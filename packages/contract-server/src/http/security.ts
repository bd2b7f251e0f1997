import type { IncomingMessage } from 'node:http';
import { type ApiKey, findLimits, type Plans } from '../api-keys/api-key.js';
import type { Authenticator } from '../api-keys/authenticator.js';
import { type LibraryErrorCode, StartError } from '../lib/errors.js';
import { type ContractDocument, type SecuritySchemeObject, securitySchemesOf } from '../openapi/document.js';
import { resolve } from '../openapi/operations.js';
import type { Caller } from '../openapi/types.js';
import type { Quota } from '../rate-limits/quota-store.js';

/** A caller with the quota that its requests count against; without one, they count against the client address. */
export interface IdentifiedCaller extends Caller {
  readonly quota?: Quota | undefined;
}

/** The caller that the credentials of a request identify, or why they identify none. */
export type Identity = IdentifiedCaller | 'missing' | 'invalid';

/**
 * Identifies the caller of a request by the credentials of one security scheme. It checks no scopes, and rejects
 * nothing. If it cannot look the caller up, it throws: an ApiError is the response.
 */
export type SecurityHandler = (request: IncomingMessage) => Identity | Promise<Identity>;

/** The security handlers by the name of their scheme in the contract, like openapi-backend's `securityHandlers`. */
export type SecurityHandlers = Readonly<Record<string, SecurityHandler>>;

/** How the credentials of a security scheme are sent, and the errors for missing or invalid ones. */
export interface Credentials {
  /** The credentials of a request, valid or not; `undefined` without any. */
  readonly read: (request: IncomingMessage) => string | undefined;
  /** The challenge of `WWW-Authenticate` (RFC 9110, section 11.6.1), without an error. */
  readonly challenge: string;
  /** The codes and messages of a 401. */
  readonly missing: readonly [LibraryErrorCode, message: string];
  readonly invalid: readonly [LibraryErrorCode, message: string];
}

/** A security scheme with its handler. */
export interface SecurityScheme extends Credentials {
  readonly identify: SecurityHandler;
}

/** By name. */
export type SecuritySchemes = ReadonlyMap<string, SecurityScheme>;

/** @throws StartError unless the contract has the scheme. */
export function credentialsOf(document: ContractDocument, name: string): Credentials {
  const schemes = securitySchemesOf(document);
  const node = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  if (node === undefined) throw new StartError(`The contract has no security scheme ${name}.`);
  const scheme = resolve<SecuritySchemeObject>(document, node);
  const realm = (scheme['x-realm'] ?? document.info.title).replace(/["\\]/g, '');
  if (scheme.type === 'apiKey') {
    const header = scheme.name.toLowerCase();
    const read = ({ headers }: IncomingMessage) => headers[header]?.toString() || undefined;
    return { read, challenge: `ApiKey realm="${realm}"`, ...keyErrors(`${scheme.name}: <API_KEY>`) };
  }
  const { scheme: authScheme, bearerFormat } = scheme.type === 'http' ? scheme : bearer;
  const prefix = new RegExp(`^${authScheme} +(.*)$`, 'i');
  const read = ({ headers }: IncomingMessage) => prefix.exec(headers.authorization ?? '')?.[1];
  const capitalized = authScheme.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  const usage = `Authorization: ${capitalized}`;
  const isKey = authScheme.toLowerCase() === 'bearer' && bearerFormat?.toUpperCase() !== 'JWT';
  const errors = isKey ? keyErrors(`${usage} <API_KEY>`) : credentialErrors(`${usage} <CREDENTIALS>`);
  return { read, challenge: `${capitalized} realm="${realm}"`, ...errors };
}

/** How tokens of OAuth 2 and OpenID Connect are sent (RFC 6750). */
const bearer = { scheme: 'Bearer', bearerFormat: 'JWT' };

function keyErrors(usage: string): Pick<Credentials, 'missing' | 'invalid'> {
  const message =
    'The API key is invalid. Check that it is complete and belongs to this environment, or request a new one from ' +
    'the operator.';
  return { missing: ['missing_api_key', `Send your API key: ${usage}.`], invalid: ['invalid_api_key', message] };
}

function credentialErrors(usage: string): Pick<Credentials, 'missing' | 'invalid'> {
  const message = 'The credentials are invalid or expired. Request new ones.';
  const missing = `Send your credentials: ${usage}.`;
  return { missing: ['missing_credentials', missing], invalid: ['invalid_credentials', message] };
}

/** Identifies the owner of an API key, which is sent as the scheme says. An API key has no scopes. */
export function apiKeySecurity(
  document: ContractDocument,
  scheme: string,
  authenticator: Pick<Authenticator, 'identify'>,
): SecurityHandler {
  const { read } = credentialsOf(document, scheme);
  const plans = document['x-rate-limit-plans'];
  const toIdentity = (key: ApiKey | undefined) => (key === undefined ? 'invalid' : callerOf(key, plans));
  return (request) => {
    const token = read(request);
    if (token === undefined) return 'missing';
    const key = authenticator.identify(token);
    return key instanceof Promise ? key.then(toIdentity) : toIdentity(key);
  };
}

const noScopes: readonly string[] = [];

/**
 * The caller with an API key. Its quota has the limits of its plan, or its own if the plan is custom.
 *
 * @throws Error if these are missing.
 */
function callerOf({ id, name, quota }: ApiKey, plans: Plans): IdentifiedCaller & Pick<ApiKey, 'name'> {
  const limits = findLimits(quota, plans);
  if (limits === undefined && plans[quota.plan] !== 'unlimited')
    throw new Error(`The quota ${quota.id} has the custom plan ${quota.plan} without its two limits.`);
  return { id, name, scopes: noScopes, quota: { id: quota.id, limits } };
}

/** Every security scheme with its handler. @throws StartError for a scheme or a handler without the other. */
export function requireSecuritySchemes(document: ContractDocument, handlers: SecurityHandlers): SecuritySchemes {
  const names = new Set([...Object.keys(securitySchemesOf(document)), ...Object.keys(handlers)]);
  const schemes = new Map<string, SecurityScheme>();
  for (const name of names) {
    const credentials = credentialsOf(document, name);
    const identify = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (identify === undefined)
      throw new StartError(`The security scheme ${name} has no handler; add one to the service, or remove the scheme.`);
    schemes.set(name, { identify, ...credentials });
  }
  return schemes;
}
