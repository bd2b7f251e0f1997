import type { ErrorObject } from 'ajv';
import { OpenAPIValidator, type Operation, ValidationContext, type ValidationResult } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { ApiRequest, CompiledRouter } from './compiled-router.js';
import { createAjv } from './create-ajv.js';

/** The keyword of the error for a path or query with a percent escape that cannot be decoded. */
export const malformedUrlKeyword = 'malformedUrl';

const malformedUrl: ErrorObject = {
  keyword: malformedUrlKeyword,
  instancePath: '',
  schemaPath: '',
  params: {},
  message: 'must have percent escapes that can be decoded',
};

/**
 * The validator of openapi-backend with its compiled functions applied to what the router has parsed: the original
 * parses the request twice more. The functions replace text by integers and fill in defaults in place, so handlers
 * receive the result.
 */
export class CompiledValidator extends OpenAPIValidator<OpenAPIV3.Document> {
  private readonly tooManyParameters: ErrorObject;

  /**
   * @param isChecked whether a build has found the document sound: then the schemas are not checked again, and only
   * those of requests are compiled at startup.
   */
  constructor(
    private readonly compiledRouter: CompiledRouter,
    isChecked: boolean,
  ) {
    super({
      definition: compiledRouter.definition,
      router: compiledRouter,
      lazyCompileValidators: isChecked,
      customizeAjv: (_ajv, _options, context) => createAjv(readsText(context), !isChecked),
    });
    if (isChecked) this.preCompileRequestValidators();
    const { queryParametersMax: limit } = compiledRouter;
    this.tooManyParameters = { keyword: 'maxProperties', instancePath: '/query', schemaPath: '', params: { limit } };
  }

  override validateRequest(
    request: ApiRequest,
    operation: Operation<OpenAPIV3.Document>,
  ): ValidationResult<ApiRequest> {
    const { fault, params, query, headers, requestBody } = this.compiledRouter.parseRequest(request);
    if (fault === 'malformed URL') return { valid: false, errors: [malformedUrl] };
    if (fault === 'too many query parameters') return { valid: false, errors: [this.tooManyParameters] };
    const values = { path: params, query, header: headers, cookie: {}, requestBody };
    const errors: ErrorObject[] = [];
    for (const validate of this.getRequestValidatorsForOperation(operation.operationId ?? '')) {
      if (!validate(values) && validate.errors) errors.push(...validate.errors);
    }
    return errors.length === 0 ? valid : { valid: false, errors };
  }
}

const valid: ValidationResult<ApiRequest> = { valid: true, errors: null };

/** Parameters and headers are text; bodies are JSON. */
function readsText(context: ValidationContext): boolean {
  return context === ValidationContext.Params || context === ValidationContext.ResponseHeaders;
}
