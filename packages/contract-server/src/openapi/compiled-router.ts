import type { ParsedRequest, Request } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { malformedUrl } from '../lib/errors.js';
import { AcceleratedRouter, type Operation } from './accelerated-router.js';
import { CompiledPaths, decodeParams, paramsIn } from './compiled-paths.js';
import {
  type BodyRule,
  type ContractDocument,
  type Deprecation,
  findBodyRule,
  findDeprecation,
  requirementsOf,
  requireOperation,
} from './document.js';
import { type CompiledParameters, compileParameters, pickHeaders, readStyled } from './request-parameters.js';
import { prefixOf } from './servers.js';

/** An operation of openapi-backend, with properties that are computed once at startup. */
export type CompiledOperation = Operation &
  CompiledParameters & {
    readonly operationId: string;
    /** The path prefix; '' if there is none. */
    readonly prefix: string;
    /** The names of the security schemes of its requirements. */
    readonly schemes: readonly string[];
    /** The security requirements, one of which a request must satisfy. Those that name a scheme come first. */
    readonly requirements: readonly SecurityRequirement[];
    readonly body: BodyRule | undefined;
    readonly deprecation: Deprecation | undefined;
  };

/** Schemes, each of which must identify a caller with these scopes. */
export type SecurityRequirement = readonly {
  readonly name: string;
  /** The index among the `schemes` of the operation. */
  readonly index: number;
  readonly scopes: readonly string[];
}[];

/** The operation that a request matches, or the reason why it matches none. */
export type Match =
  | {
      readonly kind: 'operation';
      readonly operation: CompiledOperation;
      /** Path parameters, percent-encoded as sent. */
      readonly params: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'not found' }
  | { readonly kind: 'method not allowed'; readonly allow: string };

/** A request for openapi-backend. The router stores its results on it, so that each is computed once per request. */
export interface ApiRequest extends Request {
  /** Percent-encoded as sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark; empty if there is none. */
  readonly query: string;
  /** The parsed body; `undefined` if there is none. */
  readonly body: unknown;
  match?: Match;
  parsed?: ParsedApiRequest;
}

export type ParsedApiRequest = ParsedRequest<unknown, object, object, object, object>;

const errors = { 'not found': new Error('404-notFound'), 'method not allowed': new Error('405-methodNotAllowed') };

/**
 * The router of services. It finds the operation before the request is authenticated, and passes to a handler only the
 * headers that its operation declares, and so no API key. HEAD matches GET if the path declares no HEAD.
 */
export class CompiledRouter extends AcceleratedRouter<CompiledOperation> {
  /** The paths of each path prefix, the longest prefix first; '' if there is none. */
  private readonly groups: readonly { readonly prefix: string; readonly paths: CompiledPaths<CompiledOperation> }[];

  /** @param definition the document without references, as openapi-backend has it. */
  constructor(document: ContractDocument, definition: OpenAPIV3.Document, apiRoot: string) {
    const options = { definition, apiRoot, ignoreTrailingSlashes: false };
    super(options, (operation) => compileOperation(document, operation));
    const prefixes = [...new Set(this.getOperations().map(({ prefix }) => prefix))];
    this.groups = prefixes
      .sort((one, other) => other.length - one.length)
      .map((prefix) => ({ prefix, paths: this.pathsBelow(prefix) }));
  }

  /** The path prefixes of the operations. */
  get prefixes(): readonly string[] {
    return this.groups.map(({ prefix }) => prefix);
  }

  /**
   * Finds the operation of a request. Methods are case-sensitive.
   *
   * @param path percent-encoded as sent, without the query. A trailing slash makes it another path.
   */
  match(method: string, path: string): Match {
    for (const { prefix, paths } of this.groups) {
      if (!path.startsWith(`${prefix}/`)) continue;
      const values = path.slice(prefix.length + 1).split('/');
      const found = paths.find(values);
      if (found === undefined) continue;
      const { operations } = found;
      const operation = operations.get(method) ?? (method === 'HEAD' ? operations.get('GET') : undefined);
      if (operation === undefined) return { kind: 'method not allowed', allow: allowOf(operations.keys()) };
      return { kind: 'operation', operation, params: paramsIn(found, values) };
    }
    return { kind: 'not found' };
  }

  /** @throws Error with a message that openapi-backend recognizes, if `strict` is set. */
  override matchOperation(request: ApiRequest, strict: true): CompiledOperation;
  override matchOperation(request: ApiRequest, strict?: boolean): CompiledOperation | undefined;
  override matchOperation(request: ApiRequest, strict = false): CompiledOperation | undefined {
    const match = this.matchOf(request);
    if (match.kind === 'operation') return match.operation;
    if (strict) throw errors[match.kind];
    return undefined;
  }

  /** @throws ApiError `malformed_url`, or `invalid_request` for too many query parameters. */
  override parseRequest(request: ApiRequest): ParsedApiRequest {
    return (request.parsed ??= parseParts(request, this.matchOf(request)));
  }

  override parsedOf(request: ApiRequest): ParsedApiRequest {
    return this.parseRequest(request);
  }

  /** The server has parsed the body. */
  override findSyntaxError(): undefined {
    return undefined;
  }

  private pathsBelow(prefix: string): CompiledPaths<CompiledOperation> {
    return new CompiledPaths(this.getOperations().filter((operation) => operation.prefix === prefix));
  }

  private matchOf(request: ApiRequest): Match {
    return (request.match ??= this.match(request.method, request.path));
  }
}

/** The value of `Allow` (RFC 9110, section 10.2.1) for a path with these methods: also OPTIONS, and HEAD if GET is. */
export function allowOf(declared: Iterable<string>): string {
  const methods = new Set([...declared, 'OPTIONS']);
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort().join(', ');
}

function compileOperation(document: ContractDocument, operation: Operation): CompiledOperation {
  const operationId = operation.operationId as string;
  const entry = requireOperation(document, operationId);
  return {
    ...operation,
    operationId,
    prefix: prefixOf(document, entry),
    ...compileSecurity(securityOf(document, operation)),
    // `authorize` checks it, before the body is read.
    security: [],
    ...compileParameters(document, entry),
    body: findBodyRule(document, operationId),
    deprecation: findDeprecation(document, operationId),
  };
}

/** Without a requirement that can be satisfied, none is omitted: the operation would be public. */
function securityOf(document: ContractDocument, { security = [] }: Operation) {
  const supported = requirementsOf(document, { security });
  return supported.length > 0 ? supported : security;
}

function compileSecurity(
  security: readonly OpenAPIV3.SecurityRequirementObject[],
): Pick<CompiledOperation, 'schemes' | 'requirements'> {
  const schemes = [...new Set(security.flatMap((requirement) => Object.keys(requirement)))];
  const requirements = security.map((requirement) =>
    Object.entries(requirement).map(([name, scopes]) => ({ name, index: schemes.indexOf(name), scopes })),
  );
  return { schemes, requirements: requirements.sort((one, other) => Number(!one.length) - Number(!other.length)) };
}

const empty: object = Object.freeze({});

function parseParts({ method, path, query, headers, body }: ApiRequest, match: Match): ParsedApiRequest {
  const parsed = { method, path, params: empty, query: empty, headers: empty, cookies: empty, requestBody: body };
  if (match.kind !== 'operation') return parsed;
  try {
    const { operation, params } = match;
    parsed.query = operation.parseQuery(query);
    parsed.params = decodeParams(params);
    parsed.headers = pickHeaders(headers, operation.headerNames);
    if (operation.styled !== undefined) readStyled(operation.styled, parsed, params, headers);
    return parsed;
  } catch (error) {
    throw error instanceof URIError ? malformedUrl() : error;
  }
}
