import type { Options } from 'ajv';
import { type AjvCustomizer, ValidationContext } from 'openapi-backend';
import { createCustomAjv, type SchemaAjv, type SchemaDocument } from './create-ajv.js';

/** The format `byte`, as openapi-backend defines it. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The options of an OpenAPIBackend for Ajv. */
export interface BackendAjvOptions {
  readonly ajvOpts: Options;
  readonly customizeAjv?: AjvCustomizer;
}

/**
 * Creates Ajv for requests with the options, formats and keywords of an OpenAPIBackend. As in openapi-backend, only
 * `byte` and the formats that `customizeAjv` adds are validated, and fields that are `readOnly` may be sent.
 *
 * @throws Error if `customizeAjv` returns another Ajv than the one that it receives.
 */
export function createBackendAjv(
  document: SchemaDocument,
  backendOptions: BackendAjvOptions,
  context: ValidationContext,
) {
  const customize = (ajv: SchemaAjv) => {
    ajv.addFormat('byte', base64);
    customizeAs(backendOptions, ajv, context);
  };
  return createCustomAjv({ document, options: backendOptions.ajvOpts, customize });
}

/** Calls `customizeAjv` as openapi-backend does. */
function customizeAs({ ajvOpts, customizeAjv }: BackendAjvOptions, ajv: SchemaAjv, context: ValidationContext): void {
  if (customizeAjv === undefined) return;
  const options = { strict: false, ...ajvOpts, ...(context === ValidationContext.Params && { coerceTypes: true }) };
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- that of 3.1 has the same methods
  if (customizeAjv(ajv, options, context) !== ajv)
    throw new Error('Return the Ajv that customizeAjv receives, with your formats and keywords added to it.');
}
