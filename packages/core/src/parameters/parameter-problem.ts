import type { OpenAPIV3 } from 'openapi-types';
import { findJson } from '../contract/media-types.js';
import { parameterOf } from '../contract/parameters.js';
import type { Schemas } from '../contract/schemas.js';
import { styleOf, stylesIn } from './styles/styles.js';

/** Why a parameter is not supported; `undefined` if it is, or if it is in no place of a request, which is invalid. */
export function parameterProblem(schemas: Schemas, declaration: OpenAPIV3.ParameterObject): string | undefined {
  const { name, in: place } = declaration;
  if (stylesIn(place).length === 0) return undefined;
  const parameter = parameterOf(declaration);
  const problem = generalProblem(declaration, parameter.style) ?? styleOf(parameter).problem?.(schemas, parameter);
  return problem && `The ${place} parameter ${name} ${problem}`;
}

function generalProblem(declaration: OpenAPIV3.ParameterObject, style: string): string | undefined {
  const { in: place, content = {} } = declaration;
  const supported = stylesIn(place);
  const [type] = Object.keys(content);
  if (type !== undefined && findJson(content) === undefined) return `is ${type}, which is not supported; use JSON.`;
  if (isUnreadable(declaration)) return 'has a name that Node.js does not read; use another one.';
  if (supported.includes(style)) return undefined;
  return `has the style ${style}, which is not supported; use ${supported.join(' or ')}.`;
}

/** Whether a value is sent in a header that Node.js leaves out, because it assigns headers to an ordinary object. */
export function isUnreadable({ in: place, name = '' }: { readonly in?: string; readonly name?: string }): boolean {
  return place === 'header' && name.toLowerCase() === '__proto__';
}
