import type { IncomingMessage } from 'node:http';
import type { Contract } from '@contract-server/core/contract/contract.js';
import type { SecuritySchemeObject } from '@contract-server/core/contract/security.js';
import { type LibraryErrorCode, StartError } from '@contract-server/core/lib/errors.js';
import { quotedString } from '@contract-server/core/lib/header-text.js';
import { problemsOf } from '@contract-server/core/lib/option-rules.js';
import { sentCookies } from '@contract-server/core/parameters/sent-cookies.js';
import type { Caller } from '@contract-server/core/types/types.js';
import { parse as parseCookie } from 'cookie';
import type { OpenAPIV3 } from 'openapi-types';
import { splitTarget } from '../wire/request-target.js';
import { callerRule } from './caller-rule.js';

/** The caller that the credentials of a request identify, or why they identify none. */
export type Identity = Caller | 'missing' | 'invalid';

/**
 * Identifies callers by the credentials of one security scheme. It checks no scopes, and rejects nothing. If it cannot
 * look the caller up, it throws; an ApiError becomes the response.
 */
export interface SchemeHandler {
  /** `undefined` for invalid credentials. Called only if there are any. */
  readonly identify: (
    credentials: string,
    request: IncomingMessage,
  ) => Caller | undefined | Promise<Caller | undefined>;
  /** Whether the credentials are API keys. Error messages then mention API keys. */
  readonly hasApiKeys?: boolean;
}

/** The handlers by the name of their scheme in the contract, like openapi-backend's `securityHandlers`. */
export type SchemeHandlers = Readonly<Record<string, SchemeHandler>>;

/** A security scheme with its handler. */
export interface SecurityScheme {
  readonly identify: (request: IncomingMessage) => Identity | Promise<Identity>;
  /** The challenge of `WWW-Authenticate` (RFC 9110, section 11.6.1), without an error. */
  readonly challenge: string;
  /** The codes and messages of a 401. */
  readonly missing: readonly [LibraryErrorCode, message: string];
  readonly invalid: readonly [LibraryErrorCode, message: string];
}

/** By name. */
export type SecuritySchemes = ReadonlyMap<string, SecurityScheme>;

/** How the credentials of a security scheme are sent. */
interface Credentials {
  /** The credentials of a request, valid or not; `undefined` without any. */
  readonly read: (request: IncomingMessage) => string | undefined;
  readonly challenge: string;
  /** How a client sends them, with a text in their place: `: Authorization: Bearer <API_KEY>`, ` in the cookie …`. */
  readonly usage: (text: string) => string;
}

/** @throws StartError if the contract does not declare the scheme. */
function requireScheme({ securitySchemes }: Contract, name: string): SecuritySchemeObject {
  const scheme = securitySchemes.get(name);
  if (scheme === undefined) throw new StartError(`The contract has no security scheme ${name}.`);
  return scheme;
}

function credentialsOf(contract: Contract, name: string): Credentials {
  const scheme = requireScheme(contract, name);
  const realm = quotedString((scheme['x-realm'] ?? contract.document.info.title).trim());
  if (scheme.type === 'apiKey') return keyIn(scheme, realm);
  // Tokens of OAuth 2 and OpenID Connect are sent as bearer tokens (RFC 6750).
  const authScheme = scheme.type === 'http' ? scheme.scheme : 'Bearer';
  const lowerScheme = authScheme.toLowerCase();
  const read = ({ headers: { authorization = '' } }: IncomingMessage) => {
    const space = authorization.indexOf(' ');
    const isScheme = space > 0 && authorization.slice(0, space).toLowerCase() === lowerScheme;
    return isScheme ? authorization.slice(space).trimStart() : undefined;
  };
  const capitalized = authScheme.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  // RFC 7617, section 2.1.
  const charset = lowerScheme === 'basic' ? ', charset="UTF-8"' : '';
  return {
    read,
    challenge: `${capitalized} realm=${realm}${charset}`,
    usage: inHeader(`Authorization: ${capitalized}`),
  };
}

/** An API key in a header, a cookie or the query. Sent twice there, it is invalid, as it is in a header. */
function keyIn({ in: place, name }: OpenAPIV3.ApiKeySecurityScheme, realm: string): Credentials {
  const challenge = `ApiKey realm=${realm}`;
  if (place === 'header') {
    const lowerName = name.toLowerCase();
    const read = ({ headers }: IncomingMessage) =>
      Object.hasOwn(headers, lowerName) ? headers[lowerName]?.toString() || undefined : undefined;
    return { read, challenge, usage: inHeader(`${name}:`) };
  }
  const isQuery = place === 'query';
  const readCookie = (cookie = '') => {
    const sent = sentCookies(cookie, name);
    return sent.length > 1 ? sent.join(', ') : parseCookie(cookie)[name] || undefined;
  };
  const read = ({ url = '', headers }: IncomingMessage) =>
    isQuery
      ? new URLSearchParams(splitTarget(url).query).getAll(name).join(', ') || undefined
      : readCookie(headers.cookie);
  const usage = () => ` in the ${isQuery ? 'query parameter' : 'cookie'} \`${name}\``;
  return { read, challenge: `${challenge}, in="${place}", name=${quotedString(name)}`, usage };
}

function inHeader(usage: string): Credentials['usage'] {
  return (text) => `: ${usage} ${text}`;
}

function keyErrors(usage: Credentials['usage']): Pick<SecurityScheme, 'missing' | 'invalid'> {
  const message =
    'The API key is invalid. Check that it is complete and belongs to this environment, or request a new one from ' +
    'the operator.';
  return {
    missing: ['missing_api_key', `Send your API key${usage('<API_KEY>')}.`],
    invalid: ['invalid_api_key', message],
  };
}

function credentialErrors(usage: Credentials['usage']): Pick<SecurityScheme, 'missing' | 'invalid'> {
  const message = 'The credentials are invalid or expired. Request new ones.';
  const missing = `Send your credentials${usage('<CREDENTIALS>')}.`;
  return { missing: ['missing_credentials', missing], invalid: ['invalid_credentials', message] };
}

/** The names of the security schemes that operations require. */
export function usedSchemes({
  requirements,
  operations,
}: Pick<Contract, 'requirements' | 'operations'>): readonly string[] {
  const all = [...requirements, ...operations.flatMap((operation) => operation.requirements)];
  return [...new Set(all.flatMap((requirement) => Object.keys(requirement)))];
}

/**
 * Every security scheme with its handler.
 *
 * @param served whose schemes need a handler.
 * @throws StartError for a scheme or a handler without the other.
 */
export function requireSecuritySchemes(
  contract: Contract,
  handlers: SchemeHandlers,
  served: Parameters<typeof usedSchemes>[0] = contract,
): SecuritySchemes {
  const names = new Set([...usedSchemes(served), ...Object.keys(handlers)]);
  return new Map([...names].map((name) => [name, schemeOf(contract, name, handlers)]));
}

function schemeOf(contract: Contract, name: string, handlers: SchemeHandlers): SecurityScheme {
  const { read, challenge, usage } = credentialsOf(contract, name);
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler === undefined)
    throw new StartError(`The security scheme ${name} has no handler; add one to \`security\`, or remove the scheme.`);
  const toIdentity = (found: unknown) => identityOf(name, found);
  const identify = (request: IncomingMessage) => {
    const credentials = read(request);
    if (credentials === undefined) return 'missing';
    const found: unknown = handler.identify(credentials, request);
    return isPromise(found) ? Promise.resolve(found).then(toIdentity) : toIdentity(found);
  };
  return { identify, challenge, ...(handler.hasApiKeys ? keyErrors(usage) : credentialErrors(usage)) };
}

/** Also for a promise of another library, such as a query of Knex: an object that would pass for a caller. */
function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
}

/** @throws TypeError for a value that does not conform to its type: a request must not pass with an empty array. */
function identityOf(name: string, found: unknown): Identity {
  if (found === undefined || found === null) return 'invalid';
  const problems = problemsOf(callerRule, found, { owner: `The security handler ${name}`, path: 'caller' });
  if (problems.length === 0) return found as Caller;
  throw new TypeError(`The security handler ${name} must return undefined or a caller. ${problems.join(' ')}`);
}

/** Whether the credentials of a scheme look like API keys: a key in a header, or a bearer token that is no JWT. */
export function looksLikeApiKey(contract: Contract, name: string): boolean {
  const scheme = requireScheme(contract, name);
  if (scheme.type !== 'http') return scheme.type === 'apiKey';
  return scheme.scheme.toLowerCase() === 'bearer' && scheme.bearerFormat?.toUpperCase() !== 'JWT';
}
