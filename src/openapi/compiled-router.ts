import { OpenAPIRouter, type Operation, type ParsedRequest, type Request } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { byParameters, type CompiledPath, compilePath, isMatch } from './compiled-path.js';
import { type Deprecation, findDeprecation } from './deprecation.js';
import { type BodyRule, type ContractDocument, findBodyRule, resolve } from './document.js';
import { parseQuery, type Query } from './parse-query.js';
import type { OperationId } from './types.js';

/** An operation of openapi-backend, with properties that are computed once at startup. */
export type CompiledOperation = Operation<OpenAPIV3.Document> & {
  readonly operationId: OperationId;
  readonly requiresKey: boolean;
  /** The names of the header parameters that the operation declares, in lower case. */
  readonly headerNames: readonly string[];
  /** The names of the query parameters that are arrays. */
  readonly arrayNames: readonly string[];
  readonly body: BodyRule | undefined;
  readonly deprecation: Deprecation | undefined;
};

/** The operation that a request matches, or the reason why it matches none. */
export type Match =
  | {
      readonly kind: 'operation';
      readonly operation: CompiledOperation;
      /** Path parameters, percent-encoded as sent. */
      readonly params: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'not found' }
  /** `allow` is the value of the `Allow` header (RFC 9110, section 10.2.1). */
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

export interface ParsedApiRequest extends ParsedRequest<unknown, object, object, object, object> {
  /** Why the request could not be parsed. */
  readonly error: 'malformed URL' | 'too many query parameters' | undefined;
}

const notFound = new Error('404-notFound: no route matches request');
const methodNotAllowed = new Error('405-methodNotAllowed: this method is not registered for the route');

/**
 * openapi-backend's router with the operations compiled at startup: the original rebuilds them and parses the request
 * on every call. Literal segments take precedence over parameters (OpenAPI 3.0.4, Paths Object), and HEAD matches GET
 * if the path declares no HEAD.
 */
export class CompiledRouter extends OpenAPIRouter<OpenAPIV3.Document> {
  private readonly operations: readonly CompiledOperation[];
  /** The paths by their number of segments. Literal segments come first. */
  private readonly paths = new Map<number, CompiledPath<CompiledOperation>[]>();

  /** @throws TypeError for an operation that openapi-backend would accept and serve incorrectly. */
  constructor(definition: ContractDocument, apiRoot: string) {
    super({ definition, apiRoot, ignoreTrailingSlashes: false });
    this.operations = super.getOperations().map((operation) => compileOperation(definition, operation));
    for (const template of new Set(this.operations.map(({ path }) => path))) {
      const path = compilePath(template, this.operations);
      this.paths.set(path.segments.length, [...(this.paths.get(path.segments.length) ?? []), path].sort(byParameters));
    }
  }

  override getOperations(): CompiledOperation[] {
    return [...this.operations];
  }

  override getOperation(operationId: string): CompiledOperation | undefined {
    return this.operations.find((operation) => operation.operationId === operationId);
  }

  /**
   * Finds the operation of a request. Methods are case-sensitive.
   *
   * @param path percent-encoded as sent, without the query. A trailing slash makes it another path.
   */
  match(method: string, path: string): Match {
    if (!path.startsWith(`${this.apiRoot}/`)) return { kind: 'not found' };
    const values = path.slice(this.apiRoot.length + 1).split('/');
    const found = this.paths.get(values.length)?.find(({ segments }) => isMatch(segments, values));
    if (found === undefined) return { kind: 'not found' };
    const { segments, operations } = found;
    const operation = operations.get(method) ?? (method === 'HEAD' ? operations.get('GET') : undefined);
    if (operation === undefined) return { kind: 'method not allowed', allow: allowOf(operations.keys()) };
    const params: Record<string, string> = {};
    segments.forEach(({ name }, index) => name !== undefined && (params[name] = values[index] ?? ''));
    return { kind: 'operation', operation, params };
  }

  /** @throws Error 404 or 405, in the form that openapi-backend recognizes, if `strict` is set. */
  override matchOperation(request: ApiRequest, strict: true): CompiledOperation;
  override matchOperation(request: ApiRequest, strict?: boolean): CompiledOperation | undefined;
  override matchOperation(request: ApiRequest, strict = false): CompiledOperation | undefined {
    const match = this.matchOf(request);
    if (match.kind === 'operation') return match.operation;
    if (strict) throw match.kind === 'not found' ? notFound : methodNotAllowed;
    return undefined;
  }

  /** Only the headers that the operation declares are parsed: a handler does not receive the API key, for example. */
  override parseRequest(request: ApiRequest): ParsedApiRequest {
    return (request.parsed ??= parse(request, this.matchOf(request)));
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

function compileOperation(definition: ContractDocument, operation: Operation<OpenAPIV3.Document>): CompiledOperation {
  checkParameters(operation);
  if (operation.operationId === undefined) {
    throw new TypeError(`${operation.method.toUpperCase()} ${operation.path} has no operationId.`);
  }
  const operationId = operation.operationId as OperationId;
  return {
    ...operation,
    operationId,
    requiresKey: requiresKey(operation),
    headerNames: headerNamesOf(operation),
    arrayNames: arrayNamesOf(definition, operation),
    body: findBodyRule(definition, operationId),
    deprecation: findDeprecation(definition, operationId),
  };
}

/** Without security requirements, or with an empty one among them, an operation needs no key. */
function requiresKey({ security = [] }: Operation<OpenAPIV3.Document>): boolean {
  return security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0);
}

/** Rejects a parameter that the path declares too: openapi-backend prefers that of the path, contrary to OpenAPI. */
function checkParameters({ operationId = '', parameters = [] }: Operation<OpenAPIV3.Document>): void {
  const declared = parameters.map((parameter) => ('in' in parameter ? `${parameter.in} ${parameter.name}` : ''));
  if (new Set(declared).size < declared.length) {
    throw new TypeError(`${operationId} declares a parameter both for itself and for its path.`);
  }
}

function headerNamesOf({ parameters = [] }: Operation<OpenAPIV3.Document>): string[] {
  return parameters.flatMap((parameter) =>
    'in' in parameter && parameter.in === 'header' ? parameter.name.toLowerCase() : [],
  );
}

/** @throws TypeError for an array that is not serialized as one parameter per item, which is OpenAPI's default. */
function arrayNamesOf(
  definition: ContractDocument,
  { operationId, parameters = [] }: Operation<OpenAPIV3.Document>,
): string[] {
  return parameters.flatMap((parameter) => {
    if (!('in' in parameter) || parameter.in !== 'query' || parameter.schema === undefined) return [];
    const { type } = resolve<OpenAPIV3.SchemaObject>(definition, parameter.schema);
    if (type !== 'array') return [];
    if ((parameter.style ?? 'form') === 'form' && parameter.explode !== false) return parameter.name;
    throw new TypeError(`The array ${parameter.name} of ${String(operationId)} must have style form and explode true.`);
  });
}

function parse({ method, path, query, headers, body }: ApiRequest, match: Match): ParsedApiRequest {
  const parsed = {
    method,
    path,
    params: none,
    query: none,
    headers: none,
    cookies: none,
    requestBody: body,
    error: undefined,
  };
  if (match.kind !== 'operation') return parsed;
  try {
    const values = parseQuery(query);
    if (values === undefined) return { ...parsed, error: 'too many query parameters' };
    parsed.params = decodeValues(match.params);
    parsed.query = withArrays(values, match.operation.arrayNames);
    parsed.headers = pickHeaders(headers, match.operation.headerNames);
    return parsed;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return { ...parsed, error: 'malformed URL' };
  }
}

const none: object = Object.freeze({});

/** Makes an array of the value of each parameter that is one: the query may have one item. */
function withArrays(query: Query, names: readonly string[]): Query {
  for (const name of names) {
    const value = query[name];
    if (typeof value === 'string') query[name] = [value];
  }
  return query;
}

function decodeValues(params: Readonly<Record<string, string>>): object {
  const decoded: Record<string, string> = {};
  for (const name in params) decoded[name] = decodeURIComponent(params[name] ?? '');
  return decoded;
}

function pickHeaders(headers: Request['headers'], names: readonly string[]): object {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (headers[name] !== undefined) picked[name] = headers[name];
  return picked;
}
