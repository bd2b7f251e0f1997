import type { ErrorObject, ValidateFunction } from 'ajv';
import { OpenAPIValidator, type Request, ValidationContext, type ValidationResult } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { AcceleratedRouter, Operation } from './accelerated-router.js';
import { type BackendAjvOptions, createBackendAjv } from './backend-ajv.js';
import type { ApiRequest } from './compiled-router.js';
import { createAjv } from './create-ajv.js';
import type { ContractDocument } from './document.js';
import { describeNumber, type NumberRule, type Schema } from './exact-number.js';
import { type OperationEntry, operationsOf, type ParameterPlace, parametersIn } from './operations.js';
import { compileErrorRenamer, type ErrorRenamer } from './parameter-errors.js';
import { type ParameterParser, parsersOf, parseValues } from './parameter-parsers.js';
import { schemaOf } from './parameter-styles.js';
import { allowsType } from './parse-text.js';
import { type BodyRule, bodyRulesOf } from './request-body.js';

/** What validates the requests of an operation. */
interface Rules {
  readonly parsers: Readonly<Record<ParameterPlace, readonly ParameterParser[]>>;
  /** By media type, as the contract declares it; the first one validates requests without a body. */
  readonly bodies: ReadonlyMap<string | undefined, ValidateFunction>;
  readonly validateParameters: ValidateFunction;
  /** `undefined` if the client sends each parameter by its own name. */
  readonly rename: ErrorRenamer | undefined;
}

/**
 * openapi-backend's validator, which validates the request as the router has parsed it, with functions compiled at
 * startup. The original parses the request twice more. Validation replaces the text of parameters with values of the
 * declared types and fills in defaults, in place, for the handlers. Responses are validated by the original.
 */
export class CompiledValidator extends OpenAPIValidator<OpenAPIV3.Document> {
  private readonly rules = new Map<string, Rules>();
  private readonly entries: ReadonlyMap<string, OperationEntry>;
  private readonly compile: (id: string, entry: OperationEntry) => Rules;

  /** @param backendOptions those of an accelerated OpenAPIBackend. Default: those of a service. */
  constructor(
    private readonly compiledRouter: AcceleratedRouter,
    document: ContractDocument,
    private readonly backendOptions?: BackendAjvOptions,
  ) {
    // Its own validators would replace each reference by a copy of the schema. It does not get `coerceTypes`, because
    // openapi-backend would then parse the request once more.
    super({
      definition: compiledRouter.definition,
      router: compiledRouter,
      lazyCompileValidators: true,
      ...backendOptions,
    });
    const isService = backendOptions === undefined;
    // openapi-backend validates bodies in JSON only, as the first media type of the contract.
    const isValidated = ({ kind }: BodyRule) => isService || kind === 'json';
    const create = (context: ValidationContext) =>
      backendOptions === undefined
        ? createAjv(document, 'request')
        : createBackendAjv(document, backendOptions, context);
    const bodies = create(ValidationContext.RequestBody);
    const parameters = backendOptions?.customizeAjv === undefined ? bodies : create(ValidationContext.Params);
    this.entries = new Map(operationsOf(document).map((entry) => [entry.operation.operationId ?? '', entry]));
    this.compile = (id, entry) => {
      const bodyRules = bodyRulesOf(document, id).filter(isValidated);
      const compiled = bodyRules.map((rule) => [rule.name, bodies.compile(bodySchema(document, rule))] as const);
      const [first] = compiled;
      return {
        parsers: compileParsers(document, entry),
        bodies: new Map([...(first ? [[undefined, first[1]] as const] : []), ...compiled]),
        validateParameters: parameters.compile(parametersSchema(document, entry)),
        rename: compileErrorRenamer(document, parametersIn('query', document, entry)),
      };
    };
    if (isService) compileInTurn(this.entries.keys(), (id) => this.rulesOf(id));
    // Schemas that its options do not support are errors of `accelerate`.
    else for (const id of this.entries.keys()) this.rulesOf(id);
  }

  /** The functions that validate the requests of an operation, for the methods of openapi-backend. */
  override buildRequestValidatorsForOperation({ operationId = '' }: Operation): ValidateFunction[] | null {
    const rules = this.rulesOf(operationId);
    return rules === undefined ? null : [...new Set(rules.bodies.values()), rules.validateParameters];
  }

  /** @throws Error if there is no such operation. */
  override validateRequest(request: Request, operation?: Operation | string): ValidationResult<Request> {
    const found = typeof operation === 'object' ? operation : this.findOperation(request, operation);
    const rules = this.rulesOf(found?.operationId ?? '');
    if (found === undefined || rules === undefined) throw new Error('Unknown operation');
    const coerced = this.compiledRouter.parsedOf(request, found);
    const errors = this.findErrors(request, coerced, rules);
    return { valid: errors === null, errors, coerced };
  }

  /** Compiles the rules of an operation when they are first needed. */
  private rulesOf(id: string): Rules | undefined {
    const known = this.rules.get(id);
    const entry = known === undefined ? this.entries.get(id) : undefined;
    if (entry === undefined) return known;
    const rules = this.compile(id, entry);
    this.rules.set(id, rules);
    return rules;
  }

  private findOperation(request: Request, id: string | undefined): Operation | undefined {
    return id === undefined ? this.router.matchOperation(request) : this.router.getOperation(id);
  }

  /** Returns `null` for a valid request, as openapi-backend does. */
  private findErrors(request: Request, parsed: AnyRequest, rules: Rules): ErrorObject[] | null {
    const { parsers, bodies, validateParameters, rename } = rules;
    const { requestBody, params: path, query, headers: header, cookies: cookie } = parsed;
    parseValues(path, parsers.path);
    parseValues(query, parsers.query);
    parseValues(header, parsers.header);
    parseValues(cookie, parsers.cookie);
    const values = { requestBody, path, query, header, cookie };
    const validateBody = bodies.get((request as Partial<ApiRequest>).mediaType);
    const bodyErrors = validateBody && this.findBodyErrors(request, values, validateBody);
    const parameterErrors = validateParameters(values) ? undefined : validateParameters.errors;
    if (!bodyErrors && !parameterErrors) return null;
    const errors = [...(bodyErrors ?? []), ...(parameterErrors ?? [])];
    if (this.backendOptions !== undefined) return errors.map(withMessage);
    return rename === undefined ? errors : errors.map(rename);
  }

  private findBodyErrors(request: Request, values: { readonly requestBody: unknown }, validate: ValidateFunction) {
    const isText = typeof values.requestBody === 'string';
    const problem = isText ? this.compiledRouter.findSyntaxError(request) : undefined;
    if (problem !== undefined) return [syntaxError(problem)];
    return validate(values) ? undefined : validate.errors;
  }
}

/**
 * Compiles the rules of one operation in each iteration of the event loop: a large contract starts as fast as a small
 * one, and few first requests have to wait.
 */
function compileInTurn(ids: Iterator<string>, compile: (id: string) => unknown): void {
  const next = ids.next();
  if (next.done === true) return;
  setImmediate(() => {
    compile(next.value);
    compileInTurn(ids, compile);
  });
}

type AnyRequest = Readonly<Record<'params' | 'query' | 'headers' | 'cookies', Record<string, unknown>>> & {
  readonly requestBody: unknown;
};

/** The error of openapi-backend for a body that is not JSON. */
function syntaxError(message: string): ErrorObject {
  return { keyword: 'parse', instancePath: '', schemaPath: '#/requestBody', params: [], message };
}

/** Adds the message of a number, and removes the bounds of `int64`, which JSON cannot represent. */
function withMessage(error: ErrorObject): ErrorObject {
  if (error.keyword !== 'exactNumber') return error;
  const rule = error.params as NumberRule;
  const message = `must be ${[describeNumber(rule), ...rule.otherTypes].join(' or ')}`;
  return { ...error, message, params: { type: rule.isInteger ? 'integer' : 'number' } };
}

function compileParsers(document: ContractDocument, entry: OperationEntry): Rules['parsers'] {
  const parsersIn = (place: ParameterPlace) => parsersOf(document, parametersIn(place, document, entry));
  return {
    path: parsersIn('path'),
    query: parsersIn('query'),
    header: parsersIn('header'),
    cookie: parsersIn('cookie'),
  };
}

/** What is read as a file has any content, and text is validated if its schema describes text. */
function bodySchema(document: ContractDocument, { kind, schema, isRequired }: BodyRule): Schema {
  const isDescribed = kind === 'text' ? allowsType('string', document, schema) : kind !== 'file';
  return {
    type: 'object',
    required: isRequired ? ['requestBody'] : [],
    properties: { requestBody: isDescribed ? schema : {} },
  };
}

/** Unknown query parameters are invalid, and other headers and cookies are not validated. */
function parametersSchema(document: ContractDocument, entry: OperationEntry): Schema {
  const schemas = places.flatMap((place): [string, Schema][] => {
    const parameters = parametersIn(place, document, entry);
    if (parameters.length === 0 && place !== 'query') return [];
    const schema = {
      type: 'object',
      required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
      properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, schemaOf(parameter)])),
    };
    return [[place, place === 'query' ? { ...schema, additionalProperties: false } : schema]];
  });
  return { type: 'object', properties: Object.fromEntries(schemas) };
}

const places: readonly ParameterPlace[] = ['path', 'query', 'header', 'cookie'];
