import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Problem } from './contract-error.js';
import { extensionsSchema } from './extensions.js';
import { unescapeName } from './json-pointer.js';

/**
 * Finds mistakes in the extensions of a document, which OpenAPI's schema does not cover, at the deepest places only: a
 * mistake in a plan is also an error of the plan itself, which could be a word.
 */
export function extensionProblems(document: object): Problem[] {
  const ajv = addFormats.default(new Ajv({ allErrors: true, strict: true, strictRequired: false }), ['date']);
  const validate = ajv.compile(extensionsSchema);
  if (validate(document)) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => !['anyOf', 'if', 'propertyNames'].includes(keyword));
  const isAround = (outer: string) => errors.some(({ instancePath: inner }) => inner.startsWith(`${outer}/`));
  return errors.filter(({ instancePath }) => !isAround(instancePath)).map(describe);
}

function describe({ instancePath, message = '', params }: ErrorObject): Problem {
  const { additionalProperty, missingProperty, allowedValues } = params as Params;
  const path = instancePath.split('/').slice(1).map(unescapeName);
  const name = `\`${path.at(-1) ?? ''}\``;
  if (additionalProperty !== undefined)
    return { path: [...path, additionalProperty], message: `Unknown field \`${additionalProperty}\`.` };
  if (missingProperty !== undefined) return { path, message: `${name} lacks \`${missingProperty}\`.` };
  const rule = allowedValues === undefined ? message : `must be one of: ${allowedValues.join(', ')}`;
  return { path, message: `${name} ${rule}.` };
}

interface Params {
  readonly additionalProperty?: string;
  readonly missingProperty?: string;
  readonly allowedValues?: readonly string[];
}
