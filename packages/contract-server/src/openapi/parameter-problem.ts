import type { OpenAPIV3 } from 'openapi-types';
import { findJson } from './media-types.js';
import { hasOwnParameters, isExploded, schemaOf, styleOf } from './parameter-styles.js';
import { allowsType } from './parse-text.js';

type Parameter = OpenAPIV3.ParameterObject;

/** The styles that can be parsed, by place. */
const styles: Readonly<Record<string, readonly string[]>> = {
  path: ['simple'],
  header: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  cookie: ['form'],
};

/**
 * Why a parameter is not supported; `undefined` if it is.
 *
 * @param isService whether the router of services parses it; otherwise, that of openapi-backend does.
 */
export function parameterProblem(document: object, parameter: Parameter, isService: boolean): string | undefined {
  const { name, in: place } = parameter;
  const all = [...rulesOf(document, parameter), ...(isService ? [] : rulesOfBackend(document, parameter))];
  const [, message] = all.find(([isBroken]) => isBroken) ?? [];
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
    [!supported.includes(style), `has the style ${style}, which is not supported; use ${supported.join(' or ')}.`],
    // The syntax of several cookies is that of a query, which no client sends.
    [isSeparate, 'is an array or an object, which is supported with explode: false only.'],
  ];
}

/** What `accelerate` refuses, because openapi-backend parses it as one text. */
function rulesOfBackend(document: object, parameter: Parameter): Rules {
  const { in: place, content, allowEmptyValue, explode } = parameter;
  const isDelimited = ['spaceDelimited', 'pipeDelimited'].includes(styleOf(parameter));
  const isOutside = place !== 'query' && (isArray(document, parameter) || isObject(document, parameter));
  const isFields =
    !isArray(document, parameter) && isObject(document, parameter) && styleOf(parameter) !== 'deepObject';
  const isOtherObject = isFields || hasOwnParameters(document, parameter);
  return [
    [allowEmptyValue === true, 'has allowEmptyValue, which is not supported; use an enum with "".'],
    [content !== undefined, 'has content, which is not supported; use a schema.'],
    [isOutside, 'is an array or an object, which is supported in the query only.'],
    [isOtherObject, 'is an object, which is supported with the style deepObject only.'],
    [isDelimited && explode !== false, `has the style ${styleOf(parameter)}; add explode: false.`],
  ];
}

function isArray(document: object, parameter: Parameter): boolean {
  return allowsType('array', document, schemaOf(parameter));
}

function isObject(document: object, parameter: Parameter): boolean {
  return allowsType('object', document, schemaOf(parameter));
}
