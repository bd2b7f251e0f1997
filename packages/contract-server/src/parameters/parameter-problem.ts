import type { OpenAPIV3 } from 'openapi-types';
import { findJson } from '../contract/media-types.js';
import { allowsType } from '../schema/parse-text.js';
import { isExploded, schemaOf, styleOf } from './parameter-styles.js';

type Parameter = OpenAPIV3.ParameterObject;

/** The styles that can be parsed, by place. */
const styles: Readonly<Record<string, readonly string[]>> = {
  path: ['simple'],
  header: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  cookie: ['form'],
};

/** Why a parameter is not supported; `undefined` if it is, or if it is in no place of a request, which is invalid. */
export function parameterProblem(document: object, parameter: Parameter): string | undefined {
  const { name, in: place } = parameter;
  if (!Object.hasOwn(styles, place)) return undefined;
  const [, message] = rulesOf(document, parameter).find(([isBroken]) => isBroken) ?? [];
  return message && `The ${place} parameter ${name} ${message}`;
}

type Rules = readonly (readonly [isBroken: boolean, message: string])[];

function rulesOf(document: object, parameter: Parameter): Rules {
  const { in: place, required, content } = parameter;
  const style = styleOf(parameter);
  const supported = styles[place] ?? [];
  const [type = ''] = Object.keys(content ?? {});
  const hasMembers = isArray(document, parameter) || isObject(document, parameter);
  const isSeparate = place === 'cookie' && content === undefined && hasMembers && isExploded(parameter);
  return [
    [place === 'path' && required !== true, 'is optional, which is not supported; add required: true.'],
    [content !== undefined && findJson(content) === undefined, `is ${type}, which is not supported; use JSON.`],
    [isUnreadable(parameter), 'has a name that Node.js does not read; use another one.'],
    [!supported.includes(style), `has the style ${style}, which is not supported; use ${supported.join(' or ')}.`],
    // The syntax of several cookies is that of a query, which no client sends.
    [isSeparate, 'is an array or an object, which is supported with explode: false only.'],
  ];
}

/** Whether a value is sent in a header that Node.js leaves out, because it assigns headers to an ordinary object. */
export function isUnreadable({ in: place, name = '' }: { readonly in?: string; readonly name?: string }): boolean {
  return place === 'header' && name.toLowerCase() === '__proto__';
}

function isArray(document: object, parameter: Parameter): boolean {
  return allowsType('array', document, schemaOf(parameter));
}

function isObject(document: object, parameter: Parameter): boolean {
  return allowsType('object', document, schemaOf(parameter));
}
