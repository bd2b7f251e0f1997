import { OpenAPIValidator, type Operation, type ValidationResult } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { ApiRequest, CompiledRouter } from './compiled-router.js';
import { createAjv } from './create-ajv.js';
import { type ContractDocument, findBodyRule, requireOperation } from './document.js';
import type { Schema } from './exact-number.js';
import { type ParameterPlace, parametersIn } from './operations.js';

const valid: ValidationResult<ApiRequest> = { valid: true, errors: null };

/**
 * openapi-backend's validator that validates the request as the router has parsed it, with one function for each
 * operation: the original parses it twice more. Validation fills in defaults in place, for the handlers.
 */
export class CompiledValidator extends OpenAPIValidator<OpenAPIV3.Document> {
  constructor(
    private readonly compiledRouter: CompiledRouter,
    document: ContractDocument,
  ) {
    // Its own validators would replace each reference by a copy of the schema.
    super({ definition: compiledRouter.definition, router: compiledRouter, lazyCompileValidators: true });
    const ajv = createAjv(document, 'request');
    for (const { operationId } of compiledRouter.getOperations())
      this.requestValidators[operationId] = [ajv.compile(requestSchema(document, operationId))];
  }

  override validateRequest(
    request: ApiRequest,
    operation: Operation<OpenAPIV3.Document>,
  ): ValidationResult<ApiRequest> {
    const { params, query, headers, requestBody } = this.compiledRouter.parseRequest(request);
    const [validate] = this.requestValidators[operation.operationId ?? ''] ?? [];
    const values = { requestBody, path: params, query, header: headers };
    return validate === undefined || validate(values) ? valid : { valid: false, errors: validate.errors ?? [] };
  }
}

/** The schema of the parts of a request. Unknown query parameters are invalid, and other headers are not validated. */
function requestSchema(document: ContractDocument, id: string): Schema {
  const body = findBodyRule(document, id);
  const entry = requireOperation(document, id);
  const schemaOf = (place: ParameterPlace) => {
    const parameters = parametersIn(place, document, entry);
    return {
      type: 'object',
      required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
      properties: Object.fromEntries(parameters.map(({ name, schema = {} }) => [name, schema])),
    };
  };
  return {
    type: 'object',
    required: body?.isRequired === true ? ['requestBody'] : [],
    properties: {
      ...(body && { requestBody: body.schema }),
      path: schemaOf('path'),
      query: { ...schemaOf('query'), additionalProperties: false },
      header: schemaOf('header'),
    },
  };
}
