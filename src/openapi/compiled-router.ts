import { OpenAPIRouter, type Operation, type ParsedRequest, type Request } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { countParameters, parseQuery } from '../lib/query.js';
import { type Deprecation, deprecationOf } from './deprecation.js';
import { type BodyRule, bodyRuleOf, type ContractDocument } from './document.js';
import type { OperationId } from './types.js';

/** An operation of openapi-backend, with what each request to it needs, computed once at startup. */
export type CompiledOperation = Operation<OpenAPIV3.Document> & {
  readonly operationId: OperationId;
  readonly requiresKey: boolean;
  /** The header parameters that the operation declares, in lower case, as Node has them. */
  readonly headerNames: readonly string[];
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

/**
 * A request for openapi-backend. The router and the validator keep on it what they computed, so that each computes it
 * once.
 */
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
  /**
   * Why the request was not parsed to its end: a percent escape that cannot be decoded, or more query parameters than
   * allowed.
   */
  readonly fault: 'malformed URL' | 'too many query parameters' | undefined;
}

interface PathEntry {
  readonly operations: Map<string, CompiledOperation>;
  readonly parameterNames: readonly string[];
}

interface Segment {
  readonly literals: Map<string, Segment>;
  parameter?: Segment;
  entry?: PathEntry;
}

const notFound = new Error('404-notFound: no route matches request');
const methodNotAllowed = new Error('405-methodNotAllowed: this method is not registered for the route');

/**
 * The router of openapi-backend with its operations compiled at startup: the original rebuilds them and parses the
 * request anew at each call. A match takes time in proportion to the length of the path, however many operations there
 * are. Literal segments win over templated ones (OpenAPI 3.0.4, Paths Object), and HEAD matches GET where a path
 * declares no HEAD.
 */
export class CompiledRouter extends OpenAPIRouter<OpenAPIV3.Document> {
  private readonly operations: readonly CompiledOperation[];
  private readonly root: Segment = { literals: new Map() };
  readonly queryParametersMax: number;

  /** @throws TypeError for an operation that openapi-backend would accept and serve wrongly. */
  constructor(definition: ContractDocument, apiRoot: string) {
    super({ definition, apiRoot, ignoreTrailingSlashes: false });
    this.operations = super.getOperations().map((operation) => compile(definition, operation));
    for (const operation of this.operations) this.add(operation);
    this.queryParametersMax = definition['x-request-limits'].queryParametersMax;
  }

  override getOperations(): CompiledOperation[] {
    return [...this.operations];
  }

  override getOperation(operationId: string): CompiledOperation | undefined {
    return this.operations.find((operation) => operation.operationId === operationId);
  }

  /**
   * `path` is percent-encoded as sent, without the query; a trailing slash makes it another path. Methods are
   * case-sensitive.
   */
  match(method: string, path: string): Match {
    const values: string[] = [];
    const entry = path.startsWith(`${this.apiRoot}/`)
      ? findEntry(this.root, path.slice(this.apiRoot.length + 1).split('/'), 0, values)
      : undefined;
    if (entry === undefined) return { kind: 'not found' };
    const operation = entry.operations.get(method) ?? (method === 'HEAD' ? entry.operations.get('GET') : undefined);
    if (operation === undefined) return { kind: 'method not allowed', allow: allowOf(entry.operations.keys()) };
    const params: Record<string, string> = {};
    entry.parameterNames.forEach((name, index) => (params[name] = values[index] ?? ''));
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

  /** Headers are those that the operation declares: the API key, for one, does not concern its handler. */
  override parseRequest(request: ApiRequest): ParsedApiRequest {
    return (request.parsed ??= parse(request, this.matchOf(request), this.queryParametersMax));
  }

  private matchOf(request: ApiRequest): Match {
    return (request.match ??= this.match(request.method, request.path));
  }

  private add(operation: CompiledOperation): void {
    let segment = this.root;
    const names: string[] = [];
    for (const part of operation.path.slice(1).split('/')) {
      const name = parameterName(part);
      if (name !== undefined) names.push(name);
      segment = name === undefined ? childOf(segment, part) : (segment.parameter ??= { literals: new Map() });
    }
    segment.entry ??= { operations: new Map(), parameterNames: names };
    segment.entry.operations.set(operation.method.toUpperCase(), operation);
  }
}

/**
 * The `Allow` header for a path with these methods (RFC 9110, section 10.2.1): OPTIONS always, and HEAD besides GET.
 */
export function allowOf(declared: Iterable<string>): string {
  const methods = new Set([...declared, 'OPTIONS']);
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort().join(', ');
}

function compile(definition: ContractDocument, operation: Operation<OpenAPIV3.Document>): CompiledOperation {
  requireUsableParameters(operation);
  if (operation.operationId === undefined) {
    throw new TypeError(`${operation.method.toUpperCase()} ${operation.path} has no operationId.`);
  }
  const operationId = operation.operationId as OperationId;
  return {
    ...operation,
    operationId,
    requiresKey: (operation.security ?? []).length > 0,
    headerNames: headerNamesOf(operation),
    body: bodyRuleOf(definition, operationId),
    deprecation: deprecationOf(definition, operationId),
  };
}

/**
 * Rejects what openapi-backend accepts and serves wrongly: a path-level parameter would override that of the operation,
 * although OpenAPI demands the opposite, and an undeclared path parameter would make every request a 400.
 */
function requireUsableParameters({ operationId = '', path, parameters = [] }: Operation<OpenAPIV3.Document>): void {
  const declared = parameters.map((parameter) => ('in' in parameter ? `${parameter.in} ${parameter.name}` : ''));
  if (new Set(declared).size < declared.length) {
    throw new TypeError(`${operationId} declares a parameter both for itself and for its path.`);
  }
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    if (!declared.includes(`path ${name}`)) {
      throw new TypeError(`${operationId} does not declare its path parameter ${name}.`);
    }
  }
}

function headerNamesOf({ parameters = [] }: Operation<OpenAPIV3.Document>): string[] {
  return parameters.flatMap((parameter) =>
    'in' in parameter && parameter.in === 'header' ? parameter.name.toLowerCase() : [],
  );
}

function childOf(segment: Segment, literal: string): Segment {
  const present = segment.literals.get(literal);
  if (present !== undefined) return present;
  const added: Segment = { literals: new Map() };
  segment.literals.set(literal, added);
  return added;
}

function parameterName(part: string): string | undefined {
  const match = /^\{([^{}]+)\}$/.exec(part);
  if (match === null && /[{}]/.test(part)) {
    throw new TypeError(`The path segment ${part} mixes text and a parameter; a parameter is a whole segment here.`);
  }
  return match?.[1];
}

/** Collects the values of templated segments in `values`, in their order. */
function findEntry(segment: Segment, parts: readonly string[], index: number, values: string[]): PathEntry | undefined {
  const part = parts[index];
  if (part === undefined) return segment.entry;
  const literal = segment.literals.get(part);
  const found = literal === undefined ? undefined : findEntry(literal, parts, index + 1, values);
  if (found !== undefined || segment.parameter === undefined || part === '') return found;
  values.push(part);
  const templated = findEntry(segment.parameter, parts, index + 1, values);
  if (templated === undefined) values.pop();
  return templated;
}

function parse(request: ApiRequest, match: Match, queryParametersMax: number): ParsedApiRequest {
  const { method, path, query, body } = request;
  const parsed = {
    method,
    path,
    params: none,
    query: none,
    headers: none,
    cookies: none,
    requestBody: body,
    fault: undefined,
  };
  if (match.kind !== 'operation') return parsed;
  if (countParameters(query) > queryParametersMax) return { ...parsed, fault: 'too many query parameters' };
  try {
    parsed.params = decodeAll(match.params);
    parsed.query = parseQuery(query);
    parsed.headers = declaredHeaders(match.operation.headerNames, request.headers);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return { ...parsed, fault: 'malformed URL' };
  }
  return parsed;
}

const none: object = Object.freeze({});

function decodeAll(params: Readonly<Record<string, string>>): object {
  const decoded: Record<string, string> = {};
  for (const name in params) decoded[name] = decodeURIComponent(params[name] ?? '');
  return decoded;
}

function declaredHeaders(names: readonly string[], headers: Request['headers']): Record<string, unknown> {
  const declared: Record<string, unknown> = {};
  for (const name of names) if (headers[name] !== undefined) declared[name] = headers[name];
  return declared;
}
