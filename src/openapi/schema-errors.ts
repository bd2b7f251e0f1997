import type { ErrorObject } from 'ajv';
import type { Problem } from './contract-error.js';
import { unescapeName } from './json-pointer.js';

/**
 * The errors at the deepest places only: a mistake inside one of several alternatives is also an error of each other
 * alternative, at the places around it.
 */
export function describeDeepest(errors: readonly ErrorObject[]): Problem[] {
  const specific = errors.filter(({ keyword, params }) => !isConsequence(keyword, params));
  const isAround = (outer: string) =>
    specific.some(({ instancePath: inner }) => inner !== outer && inner.startsWith(`${outer}/`));
  return specific
    .filter(({ instancePath }) => !isAround(instancePath))
    .map((error) => ({ path: pathOf(error), message: `${describe(error)}.` }));
}

/** An error that only says that no alternative matches, or that it could be a reference. */
function isConsequence(keyword: string, params: Readonly<Record<string, unknown>>): boolean {
  if (params['missingProperty'] === '$ref') return true;
  return ['oneOf', 'anyOf', 'allOf', 'not', 'if', '$ref', 'false schema'].includes(keyword);
}

function pathOf({ instancePath, params }: ErrorObject): Problem['path'] {
  const names = instancePath.split('/').slice(1);
  const field = (params['additionalProperty'] ?? params['unevaluatedProperty']) as string | undefined;
  return [...names.map(unescapeName), ...(field === undefined ? [] : [field])];
}

function describe(error: ErrorObject): string {
  const path = pathOf(error);
  const params = error.params as Readonly<Record<string, string | readonly string[] | undefined>>;
  const name = `\`${String(path.at(-1) ?? 'The contract')}\``;
  if (params['additionalProperty'] ?? params['unevaluatedProperty']) return `Unknown field ${name}`;
  if (params['missingProperty'] !== undefined) return `${name} lacks \`${String(params['missingProperty'])}\``;
  if (Array.isArray(params['allowedValues'])) return `${name} must be one of: ${params['allowedValues'].join(', ')}`;
  return `${name} ${String(error.message)}`;
}
