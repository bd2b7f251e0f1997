import { OpenAPIRouter, type Operation, type ParsedRequest, type Request } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { malformedUrl } from '../lib/errors.js';
import {
  type BodyRule,
  type ContractDocument,
  type Deprecation,
  findBodyRule,
  findDeprecation,
  requireOperation,
} from './document.js';
import type { Schema } from './exact-number.js';
import { type ParameterPlace, parametersIn } from './operations.js';
import { parseQuery } from './parse-query.js';
import { allowsType, findTextParser } from './parse-text.js';

/** An operation of openapi-backend, with properties that are computed once at startup. */
export type CompiledOperation = Operation<OpenAPIV3.Document> & {
  readonly operationId: string;
  /** The names of the security schemes of its requirements. */
  readonly schemes: readonly string[];
  /** The security requirements, one of which a request must satisfy. Those that name a scheme come first. */
  readonly requirements: readonly SecurityRequirement[];
  /** The names of its header parameters, in lower case. */
  readonly headerNames: readonly string[];
  /** The parsers of parameters that are not text. */
  readonly parsers: Readonly<Record<ParameterPlace, readonly NamedParser[]>>;
  readonly body: BodyRule | undefined;
  readonly deprecation: Deprecation | undefined;
};

type NamedParser = readonly [name: string, parse: (value: unknown) => unknown];

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

/** A path template with its operations. */
interface CompiledPath {
  /** A segment is text, or the name of a parameter. */
  readonly segments: readonly { readonly text: string; readonly isParameter: boolean }[];
  /** By method, in upper case. */
  readonly operations: ReadonlyMap<string, CompiledOperation>;
}

const errors = { 'not found': new Error('404-notFound'), 'method not allowed': new Error('405-methodNotAllowed') };

/**
 * openapi-backend's router with the operations compiled at startup: the original rebuilds them and parses the request
 * on every call. Literal segments take precedence over parameters (OpenAPI 3.0.4, Paths Object), and HEAD matches GET
 * if the path declares no HEAD.
 */
export class CompiledRouter extends OpenAPIRouter<OpenAPIV3.Document> {
  private readonly operations: CompiledOperation[];
  /** Of every path; '' if there is none. */
  private readonly prefix: string;
  /** The paths by their number of segments. Literal segments come first. */
  private readonly paths = new Map<number, CompiledPath[]>();

  /** @param definition the document without references, as openapi-backend has it. */
  constructor(document: ContractDocument, definition: OpenAPIV3.Document, apiRoot: string) {
    super({ definition, apiRoot, ignoreTrailingSlashes: false });
    this.prefix = apiRoot === '/' ? '' : apiRoot;
    this.operations = super.getOperations().map((operation) => compileOperation(document, operation));
    const templates = new Set(this.operations.map(({ path }) => path));
    for (const template of [...templates].sort(literalsFirst)) {
      const path = compilePath(template, this.operations);
      this.paths.set(path.segments.length, [...(this.paths.get(path.segments.length) ?? []), path]);
    }
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
    if (!path.startsWith(`${this.prefix}/`)) return { kind: 'not found' };
    const values = path.slice(this.prefix.length + 1).split('/');
    const found = this.paths.get(values.length)?.find((each) => isMatch(each, values));
    if (found === undefined) return { kind: 'not found' };
    const { segments, operations } = found;
    const operation = operations.get(method) ?? (method === 'HEAD' ? operations.get('GET') : undefined);
    if (operation === undefined) return { kind: 'method not allowed', allow: allowOf(operations.keys()) };
    const params: Record<string, string> = {};
    segments.forEach(({ text, isParameter }, index) => isParameter && (params[text] = values[index] ?? ''));
    return { kind: 'operation', operation, params };
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

  /**
   * Only the headers that the operation declares are parsed: a handler does not receive the API key, for example.
   *
   * @throws ApiError `malformed_url`, or `invalid_request` for too many query parameters.
   */
  override parseRequest(request: ApiRequest): ParsedApiRequest {
    return (request.parsed ??= parseParts(request, this.matchOf(request)));
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

function compilePath(template: string, all: readonly CompiledOperation[]): CompiledPath {
  const segments = template
    .split('/')
    .slice(1)
    .map((segment) => {
      const name = /^\{([^{}]+)\}$/.exec(segment)?.[1];
      return { text: name ?? segment, isParameter: name !== undefined };
    });
  const own = all.filter(({ path }) => path === template).map((each) => [each.method.toUpperCase(), each] as const);
  return { segments, operations: new Map(own) };
}

/** Orders path templates that can match the same path: a literal segment comes before a parameter. */
function literalsFirst(one: string, other: string): number {
  const keyOf = (template: string) => template.replace(/\{[^/]+\}/g, '\uffff');
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

/** Whether the values of the segments, as sent, match those of a path template. No parameter is empty. */
function isMatch({ segments }: CompiledPath, values: readonly string[]): boolean {
  return segments.every(({ text, isParameter }, index) =>
    isParameter ? values[index] !== '' : values[index] === text,
  );
}

function compileOperation(document: ContractDocument, operation: Operation<OpenAPIV3.Document>): CompiledOperation {
  const operationId = operation.operationId as string;
  const entry = requireOperation(document, operationId);
  const parametersOf = (place: ParameterPlace) => parametersIn(place, document, entry);
  const parsersOf = (place: ParameterPlace) => parametersOf(place).flatMap((each) => parserOf(document, each));
  return {
    ...operation,
    operationId,
    ...compileSecurity(operation),
    // `authorize` checks it, before the body is read.
    security: [],
    headerNames: parametersOf('header').map(({ name }) => name),
    parsers: { path: parsersOf('path'), query: parsersOf('query'), header: parsersOf('header') },
    body: findBodyRule(document, operationId),
    deprecation: findDeprecation(document, operationId),
  };
}

function compileSecurity({ security = [] }: Operation): Pick<CompiledOperation, 'schemes' | 'requirements'> {
  const schemes = [...new Set(security.flatMap((requirement) => Object.keys(requirement)))];
  const requirements = security.map((requirement) =>
    Object.entries(requirement).map(([name, scopes]) => ({ name, index: schemes.indexOf(name), scopes })),
  );
  return { schemes, requirements: requirements.sort((one, other) => Number(!one.length) - Number(!other.length)) };
}

function parserOf(document: object, { name, schema }: OpenAPIV3.ParameterObject): NamedParser[] {
  const parse = findTextParser(document, schema as Schema);
  // An item of an array that is sent once is an array too.
  if (allowsType('array', document, schema as Schema))
    return [[name, (value) => [value].flat().map((item) => (parse ?? String)(item as string))]];
  return parse === undefined ? [] : [[name, (value) => (typeof value === 'string' ? parse(value) : value)]];
}

const empty: object = Object.freeze({});

function parseParts({ method, path, query, headers, body }: ApiRequest, match: Match): ParsedApiRequest {
  const parsed = { method, path, params: empty, query: empty, headers: empty, cookies: empty, requestBody: body };
  if (match.kind !== 'operation') return parsed;
  try {
    const { headerNames, parsers } = match.operation;
    parsed.query = parseValues(parseQuery(query), parsers.query);
    parsed.params = parseValues(decodeValues(match.params), parsers.path);
    parsed.headers = parseValues(pickHeaders(headers, headerNames), parsers.header);
    return parsed;
  } catch (error) {
    throw error instanceof URIError ? malformedUrl() : error;
  }
}

/** Replaces the text of parameters in place. */
function parseValues(values: Record<string, unknown>, parsers: readonly NamedParser[]): object {
  for (const [name, parse] of parsers) {
    if (values[name] !== undefined) values[name] = parse(values[name]);
  }
  return values;
}

function decodeValues(params: Readonly<Record<string, string>>): Record<string, unknown> {
  const decoded: Record<string, string> = {};
  for (const name in params) decoded[name] = decodeURIComponent(params[name] ?? '');
  return decoded;
}

function pickHeaders(headers: Request['headers'], names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (headers[name] !== undefined) picked[name] = headers[name];
  return picked;
}
