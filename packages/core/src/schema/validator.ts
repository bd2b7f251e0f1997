import type { ErrorObject, ValidateFunction } from 'ajv';
import { renewMatchingTime } from './timed-test.js';
import type { ValidationRun } from './validation-run.js';

/** Validates values by one schema. Numbers are replaced and defaults filled in, in place. */
export interface Validator {
  (value: unknown): boolean;
  /** Those of the last value; `null` if it was valid. */
  errors: ErrorObject[] | null;
  /** Compiles what collects the errors, so that the first invalid value does not have to wait. */
  readonly prepare: () => void;
}

/**
 * Creates the two passes of a validator. The first one ends at the first error, and decides. Only for an invalid value,
 * the second one collects the errors, with their schemas, of the same value.
 *
 * @param compile returns the function of the second pass.
 */
export function createValidator(run: ValidationRun, decide: ValidateFunction, compile: () => ValidateFunction) {
  let collect: ValidateFunction | undefined;
  const validator = (value: unknown): boolean => {
    run.end();
    renewMatchingTime();
    const isValid = decide(value);
    validator.errors = null;
    if (!isValid) {
      run.undo();
      collect ??= compile();
      // A value that the first pass rejects is not accepted because of the second.
      validator.errors = collect(value) ? [unexplained] : (collect.errors ?? [unexplained]);
    }
    run.end();
    return isValid;
  };
  validator.errors = null as ErrorObject[] | null;
  validator.prepare = () => {
    collect ??= compile();
  };
  return validator satisfies Validator;
}

const unexplained: ErrorObject = { keyword: 'not', instancePath: '', schemaPath: '#', params: {} };
