import type { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { AcceleratedRouter } from './accelerated-router.js';
import type { BackendAjvOptions } from './backend-ajv.js';
import { CompiledValidator } from './compiled-validator.js';
import type { ContractDocument } from './document.js';

/** Replaces the router and, unless requests are not validated, the validator of an initialized instance. */
export function replaceParts<Router extends AcceleratedRouter>(
  api: OpenAPIBackend<OpenAPIV3.Document>,
  document: ContractDocument,
  router: Router,
  backendOptions?: BackendAjvOptions,
) {
  if (api.validate === false) return Object.assign(api, { router });
  const { responseValidators, statusBasedResponseValidators, responseHeadersValidators } = api.validator;
  const validator = new CompiledValidator(router, document, backendOptions);
  // They are compiled already, unless the instance is `quick`.
  Object.assign(validator, { responseValidators, statusBasedResponseValidators, responseHeadersValidators });
  return Object.assign(api, { router, validator });
}
