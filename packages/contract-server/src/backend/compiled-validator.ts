import { bodyFormats } from '@contract-server/core/bodies/body-formats.js';
import type { BodyRule } from '@contract-server/core/bodies/body-rule.js';
import type { Operation as ContractOperation } from '@contract-server/core/contract/contract.js';
import { type ParameterPlace, parameterPlaces } from '@contract-server/core/contract/parameters.js';
import type { Schema, Schemas } from '@contract-server/core/contract/schemas.js';
import { runAfterStart } from '@contract-server/core/lib/after-start.js';
import { runInTurn } from '@contract-server/core/lib/run-in-turn.js';
import { compileErrorDescriber, type ErrorDescriber } from '@contract-server/core/parameters/parameter-errors.js';
import { type ParameterParser, parsersOf, parseValues } from '@contract-server/core/parameters/parameter-parsers.js';
import { createAjv } from '@contract-server/core/schema/create-ajv.js';
import { memberRulesOf } from '@contract-server/core/schema/member-rules.js';
import { isMessage } from '@contract-server/core/schema/omitted-members.js';
import type { Validator } from '@contract-server/core/schema/validator.js';
import type { ErrorObject } from 'ajv';
import {
  OpenAPIValidator,
  type Operation,
  type ParsedRequest,
  type Request,
  type ValidationResult,
} from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { CompiledOperation } from './compiled-operation.js';
import type { ApiRequest, CompiledRouter } from './compiled-router.js';

/** What validates the requests of an operation. */
interface Rules {
  readonly parsers: Readonly<Record<ParameterPlace, readonly ParameterParser[]>>;
  /** By the rules of the operation; the first one validates requests without a body. */
  readonly bodies: ReadonlyMap<BodyRule | undefined, Validator>;
  readonly validateParameters: Validator;
  /** `undefined` if no error of a parameter needs it. */
  readonly describeError: ErrorDescriber | undefined;
}

/**
 * openapi-backend's validator, which validates the request as the router has parsed it, with functions compiled at
 * startup. The original parses the request twice more. Validation replaces the text of parameters with values of the
 * declared types and fills in defaults, in place, for the handlers. Responses are validated by the original.
 */
export class CompiledValidator extends OpenAPIValidator<OpenAPIV3.Document> {
  private readonly rules = new Map<string, Rules>();
  private readonly ajv: ReturnType<typeof createAjv>;

  constructor(
    private readonly compiledRouter: CompiledRouter,
    private readonly schemas: Schemas,
  ) {
    // Its own validators would replace each reference by a copy of the schema.
    super({ definition: compiledRouter.definition, router: compiledRouter, lazyCompileValidators: true });
    this.ajv = createAjv(schemas, 'request');
  }

  /**
   * Compiles the rules of each operation before its first request, without delaying the start: a large contract starts
   * as fast as a small one.
   */
  compileInTurn(): void {
    const ids = this.compiledRouter.getOperations().map(({ operationId }) => operationId);
    runInTurn(ids.map((id) => () => this.rulesOf(id)));
    // What describes invalid requests is needed less often.
    for (const id of ids) runAfterStart(() => this.prepare(id));
  }

  /** @throws Error if there is no such operation. */
  override validateRequest(
    request: ApiRequest,
    operation?: Operation<OpenAPIV3.Document> | string,
  ): ValidationResult<Request> {
    const id = typeof operation === 'object' ? operation.operationId : operation;
    const rules = this.rulesOf(id ?? this.compiledRouter.matchOperation(request)?.operationId ?? '');
    if (rules === undefined) throw new Error('Unknown operation');
    const coerced = this.compiledRouter.parseRequest(request) as ParsedRequest;
    const errors = findErrors(request, coerced, rules);
    return { valid: errors === null, errors, coerced };
  }

  /** Compiles the rules of an operation when they are first needed. */
  private rulesOf(id: string): Rules | undefined {
    const known = this.rules.get(id);
    const operation = known === undefined ? this.compiledRouter.getOperation(id) : undefined;
    if (operation === undefined) return known;
    const rules = this.compile(operation);
    this.rules.set(id, rules);
    return rules;
  }

  private prepare(id: string): void {
    const rules = this.rulesOf(id);
    for (const { prepare } of rules === undefined ? [] : [...rules.bodies.values(), rules.validateParameters])
      prepare();
  }

  private compile({ declared: { parameters }, bodies: rules }: CompiledOperation): Rules {
    const { ajv, schemas } = this;
    const { path, query, header, cookie } = parameters;
    const bodies = rules.map((rule) => [rule, ajv.compile(bodySchema(schemas, rule))] as const);
    const [first] = bodies;
    return {
      parsers: {
        path: parsersOf(schemas, path),
        query: parsersOf(schemas, query),
        header: parsersOf(schemas, header),
        cookie: parsersOf(schemas, cookie),
      },
      bodies: new Map([...(first ? [[undefined, first[1]] as const] : []), ...bodies]),
      validateParameters: ajv.compile(parametersSchema(parameters)),
      describeError: compileErrorDescriber(schemas, Object.values(parameters).flat()),
    };
  }
}

/** Returns `null` for a valid request, as openapi-backend does. */
function findErrors(request: ApiRequest, parsed: AnyRequest, rules: Rules): ErrorObject[] | null {
  const { parsers, bodies, validateParameters, describeError } = rules;
  const { requestBody, params: path, query, headers: header, cookies: cookie } = parsed;
  parseValues(path, parsers.path);
  parseValues(query, parsers.query);
  parseValues(header, parsers.header);
  parseValues(cookie, parsers.cookie);
  const values = { requestBody, path, query, header, cookie };
  const validateBody = bodies.get(request.bodyRule);
  const bodyErrors = validateBody === undefined || validateBody(values) ? undefined : validateBody.errors;
  const parameterErrors = validateParameters(values) ? undefined : validateParameters.errors;
  if (!bodyErrors && !parameterErrors) return null;
  const errors = [...(bodyErrors ?? []), ...(parameterErrors ?? [])];
  return describeError === undefined ? errors : errors.map(describeError);
}

type AnyRequest = Readonly<Record<'params' | 'query' | 'headers' | 'cookies', Record<string, unknown>>> & {
  readonly requestBody: unknown;
};

function bodySchema(schemas: Schemas, { kind, schema, isRequired }: BodyRule): Schema {
  const { isValidated = () => true } = bodyFormats[kind];
  // A body that is read-only as a whole must not be sent.
  const isOmitted = memberRulesOf(schemas).isMarked('readOnly', schema);
  return {
    [isMessage]: true,
    type: 'object',
    required: isRequired && !isOmitted ? ['requestBody'] : [],
    properties: { requestBody: isOmitted ? false : isValidated(schemas, schema) ? schema : {} },
  };
}

/** Unknown query parameters are invalid, and other headers and cookies are not validated. */
function parametersSchema(byPlace: ContractOperation['parameters']): Schema {
  const schemas = parameterPlaces.flatMap((place): [string, Schema][] => {
    const { [place]: parameters } = byPlace;
    if (parameters.length === 0 && place !== 'query') return [];
    const schema = {
      [isMessage]: true,
      type: 'object',
      required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      properties: Object.fromEntries(parameters.map(({ name, schema: each }) => [name, each])),
    };
    return [[place, place === 'query' ? { ...schema, additionalProperties: false } : schema]];
  });
  return { [isMessage]: true, type: 'object', properties: Object.fromEntries(schemas) };
}
