import type { BodyRule } from '@contract-server/core/bodies/body-rule.js';
import type { Contract } from '@contract-server/core/contract/contract.js';
import { malformedUrl } from '@contract-server/core/lib/errors.js';
import { pickHeaders, readStyled } from '@contract-server/core/parameters/request-parameters.js';
import { OpenAPIRouter, type ParsedRequest, type Request } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { type CompiledOperation, compileOperation } from './compiled-operation.js';
import { CompiledPaths, decodeParams } from './compiled-paths.js';
import { compileSpelling, type SpellPath, similarPaths } from './path-spelling.js';

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
  /** The rule of the body, one of its operation. */
  readonly bodyRule?: BodyRule | undefined;
  match?: Match;
  parsed?: ParsedApiRequest;
}

export type ParsedApiRequest = ParsedRequest<unknown, object, object, object, object>;

/** An operation that a request is similar to. */
export interface SimilarOperation {
  readonly operation: CompiledOperation;
  /** Whether its path matches as it was sent. */
  readonly isExact: boolean;
}

const errors = { 'not found': new Error('404-notFound'), 'method not allowed': new Error('405-methodNotAllowed') };

/**
 * openapi-backend's router with the paths compiled at startup. For each request, the original creates every operation
 * and a regular expression per path. This one finds the operation before the request is authenticated, and passes to a
 * handler only the headers that its operation declares, and so no API key. HEAD matches GET if the path declares no
 * HEAD.
 */
export class CompiledRouter extends OpenAPIRouter<OpenAPIV3.Document> {
  private readonly operations: CompiledOperation[];
  private readonly operationsById: ReadonlyMap<string, CompiledOperation>;
  /** The paths of each path prefix, the longest prefix first; '' if there is none. */
  private readonly groups: readonly { readonly prefix: string; readonly paths: CompiledPaths<CompiledOperation> }[];

  /** Corrects paths in another spelling; `undefined` if the deployment ignores none. */
  readonly spell: SpellPath | undefined;

  /** @param definition the document without references, as openapi-backend has it. */
  constructor(contract: Contract, definition: OpenAPIV3.Document, apiRoot: string) {
    super({ definition, apiRoot, ignoreTrailingSlashes: false });
    this.operations = super.getOperations().map((operation) => compileOperation(contract, operation));
    this.operationsById = new Map(this.operations.map((operation) => [operation.operationId, operation]));
    const prefixes = [...new Set(this.operations.map(({ declared }) => declared.prefix))];
    this.groups = prefixes
      .sort((one, other) => other.length - one.length)
      .map((prefix) => ({ prefix, paths: this.pathsBelow(prefix) }));
    this.spell = compileSpelling(this.groups, contract.deployment);
  }

  /** The path prefixes of the operations. */
  get prefixes(): readonly string[] {
    return this.groups.map(({ prefix }) => prefix);
  }

  override getOperation(operationId: string): CompiledOperation | undefined {
    return this.operationsById.get(operationId);
  }

  override getOperations(): CompiledOperation[] {
    return this.operations;
  }

  /**
   * Finds the operation of a request. Methods are case-sensitive.
   *
   * @param path percent-encoded as sent, without the query. A trailing slash makes it another path.
   */
  match(method: string, path: string): Match {
    let rejected: Match = { kind: 'not found' };
    for (const { prefix, paths } of this.groups) {
      if (!path.startsWith(`${prefix}/`)) continue;
      const values = path.slice(prefix.length + 1).split('/');
      const found = paths.find(values);
      if (found === undefined) continue;
      const { operations } = found;
      const operation = operations.get(method) ?? (method === 'HEAD' ? operations.get('GET') : undefined);
      if (operation !== undefined)
        return { kind: 'operation', operation, params: paths.paramsOf(operation.path, values) };
      // A shorter prefix may have the method.
      if (rejected.kind === 'not found') rejected = { kind: 'method not allowed', allow: allowOf(operations.keys()) };
    }
    return rejected;
  }

  /**
   * The operations whose routes in an application could receive a request, as `similarPaths` finds them. Routes for GET
   * also receive HEAD.
   */
  operationsLike(method: string, path: string): SimilarOperation[] {
    const methods = method === 'HEAD' ? ['HEAD', 'GET'] : [method];
    return similarPaths(this.groups, path).flatMap(({ path: { operations }, isExact }) =>
      methods.flatMap((each) => {
        const operation = operations.get(each);
        return operation === undefined ? [] : [{ operation, isExact }];
      }),
    );
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

  private pathsBelow(prefix: string): CompiledPaths<CompiledOperation> {
    return new CompiledPaths(this.operations.filter((operation) => operation.declared.prefix === prefix));
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
