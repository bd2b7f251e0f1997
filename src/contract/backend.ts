import type { ErrorObject } from 'ajv';
import {
  type Handler as BackendHandler,
  type Context,
  OpenAPIBackend,
  type Operation,
  type Request,
  ValidationContext,
} from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { deprecationOf } from './deprecation.js';
import { basePathOf, bodyRuleOf, type ContractDocument } from './document.js';
import { createExactAjv } from './exact-ajv.js';
import { type BoundOperation, OperationTable, type Route } from './operation-table.js';
import { parseQuery } from './query.js';
import type { Handler, Handlers, OperationId, Origin } from './types.js';

/** What a request carries beside its method and path. */
export interface RequestInput {
  /** The query as sent, without the question mark; empty when there is none. */
  readonly query: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The parsed body; `undefined` when there is none. */
  readonly body?: unknown;
}

/** Answers to what is no valid request to an operation; each may also throw. */
export interface FailureHandlers {
  readonly unknownPath: () => unknown;
  readonly unknownMethod: (allow: string) => unknown;
  readonly unauthorized: () => unknown;
  readonly malformedUrl: () => unknown;
  readonly invalidRequest: (errors: readonly ErrorObject[]) => unknown;
}

/**
 * openapi-backend with another way of a request. Loading and checking of the document, strictness, validators and registration are
 * its own; but where it matches each request against a list of operations that it rebuilds, and parses it three times, this
 * binds each operation once at start and dispatches from that table. A differential test holds both ways against each other.
 */
export class ContractBackend extends OpenAPIBackend<OpenAPIV3.Document> {
  private table!: OperationTable;

  /**
   * @param contract is checked against the OpenAPI 3.0 schema by `init`, which throws if it does not conform, or if one of its schemas cannot
   * be compiled. A document that is known to be sound is not checked again, and of its schemas only those of requests are compiled at start.
   */
  constructor(
    private readonly contract: ContractDocument,
    handlers: Handlers,
    private readonly failures: FailureHandlers,
    isChecked = false,
  ) {
    super({
      definition: structuredClone(contract),
      apiRoot: basePathOf(contract),
      strict: true,
      quick: isChecked,
      coerceTypes: true,
      ignoreTrailingSlashes: false,
      customizeAjv: (_ajv, _options, context) => createExactAjv(readsText(context), !isChecked),
      handlers: { ...adaptAll(handlers), ...adaptFailures(failures) },
      securityHandlers: securityHandlersOf(contract),
    });
  }

  override async init(): Promise<this> {
    await super.init();
    this.table = new OperationTable(
      this.apiRoot,
      this.router.getOperations().map((operation) => this.bind(operation)),
    );
    return this;
  }

  get operations(): readonly BoundOperation[] {
    return this.table.operations;
  }

  /** Which operation a request is for. `path` is as sent, without the query. */
  match(method: string, path: string): Route {
    return this.table.find(method, path);
  }

  /** Validates a request that may be answered and runs its handler, or the one for what is wrong with it. */
  dispatch(route: Route, input: RequestInput, origin?: Origin): unknown {
    if (route.kind === 'unknown path') return this.failures.unknownPath();
    if (route.kind === 'unknown method') return this.failures.unknownMethod(route.allow);
    const values = valuesOf(route, input);
    if (values === undefined) return this.failures.malformedUrl();
    const errors = faultsOf(route.operation, values);
    if (errors.length > 0) return this.failures.invalidRequest(errors);
    const request = { params: values.path, query: values.query, headers: values.header, requestBody: values.requestBody };
    return route.operation.handler({ api: this, request } as unknown as Context, origin) as unknown;
  }

  /** The whole way of a request that needs no I/O of ours: match, authorize, validate, handle. `origin` is given if its key is good. */
  override handleRequest(request: Request, origin?: Origin): Promise<unknown> {
    return Promise.resolve().then(() => this.handle(request, origin));
  }

  private handle(request: Request, origin: Origin | undefined): unknown {
    const [path = ''] = request.path.split('?', 1);
    const query = request.path.slice(path.length + 1);
    const route = this.match(request.method, path);
    if (route.kind === 'operation' && route.operation.requiresKey && origin === undefined) return this.failures.unauthorized();
    return this.dispatch(route, { query, headers: request.headers, body: request.body as unknown }, origin);
  }

  private bind(operation: Operation<OpenAPIV3.Document>): BoundOperation {
    const id = operation.operationId as OperationId;
    const handler = (this.handlers as Partial<Record<string, BackendHandler>>)[id];
    if (handler === undefined) throw new TypeError(`The operation ${id} has no handler.`);
    requireSoundParameters(operation);
    const body = bodyRuleOf(this.contract, id);
    const deprecation = deprecationOf(this.contract, id);
    return {
      id,
      method: operation.method.toUpperCase(),
      template: operation.path,
      requiresKey: (operation.security ?? []).length > 0,
      headerNames: headerNamesOf(operation),
      ...(body && { body }),
      ...(deprecation && { deprecation }),
      validators: this.validator.getRequestValidatorsForOperation(id),
      handler,
    };
  }
}

type OperationRoute = Extract<Route, { kind: 'operation' }>;

interface RequestValues {
  readonly path: Readonly<Record<string, string>>;
  readonly query: object;
  readonly header: object;
  readonly cookie: object;
  readonly requestBody: unknown;
}

/** What the validators of openapi-backend check, and fill in in place; `undefined` when the address cannot be decoded. */
function valuesOf({ operation, parameters }: OperationRoute, input: RequestInput): RequestValues | undefined {
  try {
    const path: Record<string, string> = {};
    for (const name in parameters) path[name] = decodeURIComponent(parameters[name] ?? '');
    const header = declaredHeaders(operation.headerNames, input.headers);
    return { path, query: parseQuery(input.query), header, cookie: {}, requestBody: input.body };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** A handler sees the headers that its operation declares, and no others: the key, for one, is none of its business. */
function declaredHeaders(names: readonly string[], headers: RequestInput['headers']): object {
  const declared: Record<string, unknown> = {};
  for (const name of names) if (headers[name] !== undefined) declared[name] = headers[name];
  return declared;
}

function faultsOf(operation: BoundOperation, values: RequestValues): ErrorObject[] {
  const errors: ErrorObject[] = [];
  for (const validate of operation.validators) {
    validate(values);
    if (validate.errors) errors.push(...validate.errors);
  }
  return errors;
}

/** Parameters and headers arrive as text; bodies are JSON. */
function readsText(context: ValidationContext): boolean {
  return context === ValidationContext.Params || context === ValidationContext.ResponseHeaders;
}

function adaptAll(handlers: Handlers): Record<string, BackendHandler> {
  return Object.fromEntries(Object.entries(handlers).map(([id, handler]) => [id, adapt(handler as Handler<OperationId>)]));
}

function adapt(handler: Handler<OperationId>): BackendHandler {
  return ({ request: { params, query, headers, requestBody } }, origin: Origin) =>
    handler({ path: params as never, query: query as never, header: headers as never, body: requestBody as never }, origin);
}

function adaptFailures(failures: FailureHandlers): Record<string, BackendHandler> {
  return {
    notFound: () => failures.unknownPath(),
    methodNotAllowed: () => failures.unknownMethod(''),
    unauthorizedHandler: () => failures.unauthorized(),
    validationFail: ({ validation }) => failures.invalidRequest(validation.errors ?? []),
  };
}

/** For the inherited way alone: whoever calls has already found out where the request comes from. */
function securityHandlersOf(contract: ContractDocument): Record<string, BackendHandler> {
  const names = Object.keys(contract.components.securitySchemes);
  return Object.fromEntries(names.map((name) => [name, (_context: unknown, origin: unknown) => origin]));
}

/**
 * Refuses what openapi-backend would take and get wrong: a parameter of the path would override that of the operation, although the
 * specification has it the other way round, and a path parameter that is not declared would make every request a 400.
 */
function requireSoundParameters({ operationId = '', path, parameters = [] }: Operation<OpenAPIV3.Document>): void {
  const declared = parameters.map((parameter) => ('in' in parameter ? `${parameter.in} ${parameter.name}` : ''));
  if (new Set(declared).size < declared.length) {
    throw new TypeError(`${operationId} declares a parameter both for itself and for its path.`);
  }
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    if (!declared.includes(`path ${name}`)) throw new TypeError(`${operationId} does not declare its path parameter ${name}.`);
  }
}

/** The headers that an operation declares, in lower case, as Node has them. */
function headerNamesOf({ parameters = [] }: Operation<OpenAPIV3.Document>): string[] {
  return parameters.flatMap((parameter) => ('in' in parameter && parameter.in === 'header' ? parameter.name.toLowerCase() : []));
}
