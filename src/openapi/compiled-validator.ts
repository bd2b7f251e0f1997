import type { ErrorObject } from 'ajv';
import { OpenAPIValidator, type Operation, ValidationContext, type ValidationResult } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { ApiRequest, CompiledRouter } from './compiled-router.js';
import { createAjv } from './create-ajv.js';
import { queryParametersMax } from './parse-query.js';

/** The keyword of the error for a path or query with a percent escape that cannot be decoded. */
export const malformedUrlKeyword = 'malformedUrl';

/** Where the values are text. Bodies are JSON. */
const textContexts = [ValidationContext.Params, ValidationContext.ResponseHeaders];

const valid: ValidationResult<ApiRequest> = { valid: true, errors: null };
const malformedUrl = invalid({
  keyword: malformedUrlKeyword,
  instancePath: '',
  schemaPath: '',
  params: {},
  message: 'must have percent escapes that can be decoded',
});
const tooManyParameters = invalid({
  keyword: 'maxProperties',
  instancePath: '/query',
  schemaPath: '',
  params: { limit: queryParametersMax },
});

/**
 * openapi-backend's validator that validates the request as the router has parsed it: the original parses it twice
 * more. Validation replaces the text of integers by integers and fills in defaults in place, for the handlers.
 */
export class CompiledValidator extends OpenAPIValidator<OpenAPIV3.Document> {
  /**
   * @param isChecked whether the build has checked the schemas. Then only those of requests are compiled at startup.
   */
  constructor(
    private readonly compiledRouter: CompiledRouter,
    isChecked: boolean,
  ) {
    super({
      definition: compiledRouter.definition,
      router: compiledRouter,
      lazyCompileValidators: isChecked,
      customizeAjv: (_ajv, _options, context) => createAjv(textContexts.includes(context), !isChecked),
    });
    if (isChecked) this.preCompileRequestValidators();
  }

  override validateRequest(
    request: ApiRequest,
    operation: Operation<OpenAPIV3.Document>,
  ): ValidationResult<ApiRequest> {
    const { error, params, query, headers, requestBody } = this.compiledRouter.parseRequest(request);
    if (error !== undefined) return error === 'malformed URL' ? malformedUrl : tooManyParameters;
    const values = { path: params, query, header: headers, cookie: {}, requestBody };
    const errors: ErrorObject[] = [];
    for (const validate of this.getRequestValidatorsForOperation(operation.operationId ?? '')) {
      if (!validate(values) && validate.errors) errors.push(...validate.errors);
    }
    return errors.length === 0 ? valid : invalid(...errors);
  }
}

function invalid(...errors: ErrorObject[]): ValidationResult<ApiRequest> {
  return { valid: false, errors };
}
