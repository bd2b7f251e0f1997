import type { ErrorObject, ValidateFunction } from 'ajv';
import type { SchemaEnv } from 'ajv/dist/compile/index.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { callRef, getValidate } from 'ajv/dist/vocabularies/core/ref.js';
import type { ReferredSchemas } from './referred-schemas.js';
import { replaceCode } from './replace-code.js';
import type { SchemaAjv } from './schema-ajv.js';
import type { Evaluated, Result, ValidationRun } from './validation-run.js';

export interface RememberOptions {
  readonly run: ValidationRun;
  /** Those that this applies to. */
  readonly referred: ReferredSchemas;
  /** Returns the errors to pass on for an invalid value; at least one. */
  readonly conclude: (errors: ErrorObject[], instancePath: string) => ErrorObject[];
}

/**
 * Makes `$ref` validate an object by a schema once per validation. Recursive schemas reach an object by as many ways
 * as there are combinations of branches above it: 2^20 for two branches at a depth of 20.
 */
export function rememberReferences(ajv: SchemaAjv, options: RememberOptions): void {
  const functions = new Map<SchemaEnv, ValidateFunction>();
  replaceCode(ajv, '$ref', (original) => (context, type) => {
    const id = context.schema as string;
    const schema = options.referred.find(id, ajv);
    if (schema === undefined) {
      original(context, type);
      return;
    }
    if (!options.referred.isRecursive(id)) {
      callRef(context, getValidate(context, schema), schema);
      return;
    }
    const validate = functions.get(schema) ?? createRemembering(schema, options);
    functions.set(schema, validate);
    callRef(context, context.gen.scopeValue('validate', { ref: validate }), schema);
  });
}

/** A function that Ajv calls in place of the one that it has compiled for a schema. */
function createRemembering(schema: SchemaEnv, { run, conclude }: RememberOptions): ValidateFunction {
  const evaluate = (value: unknown, context?: DataValidationCxt): Result => {
    const validate = schema.validate as ValidateFunction;
    const isValid = validate(value, context);
    const errors = isValid ? null : conclude(validate.errors ?? [], context?.instancePath ?? '');
    return { errors, evaluated: { ...validate.evaluated }, changes: run.changes };
  };
  const find = (value: object, context?: DataValidationCxt): Result => {
    const results = run.resultsOf(schema);
    const known = results.get(value);
    if (known !== undefined && (known === unfinished || known.changes === run.changes)) return known;
    results.set(value, unfinished);
    const result = evaluate(value, context);
    results.set(value, result);
    return result;
  };
  let isScalar = false;
  // A value without members is reached again only by a schema that refers to itself in place.
  const evaluateScalar = (value: unknown, context?: DataValidationCxt): Result => {
    if (isScalar) return unfinished;
    isScalar = true;
    try {
      return evaluate(value, context);
    } finally {
      isScalar = false;
    }
  };
  const remembering = (value: unknown, context?: DataValidationCxt): boolean => {
    const isObject = typeof value === 'object' && value !== null;
    const { errors, evaluated } = isObject ? find(value, context) : evaluateScalar(value, context);
    // Ajv changes what it reads here.
    Object.assign(remembering, { errors: errors && [...errors], evaluated: copyOf(evaluated) });
    return errors === null;
  };
  return remembering as ValidateFunction;
}

/** While a schema refers to itself for the same value, which adds no rule. */
const unfinished: Result = { errors: null, evaluated: {}, changes: 0 };

function copyOf({ props, items }: Evaluated): Evaluated {
  return { props: typeof props === 'object' ? { ...props } : props, items };
}
