import type { OpenAPIV3 } from 'openapi-types';
import { findJson } from './media-types.js';
import type { Schema } from './schemas.js';

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

export const parameterPlaces: readonly ParameterPlace[] = ['path', 'query', 'header', 'cookie'];

/** A parameter of an operation, with the defaults of its place. */
export interface Parameter {
  /** That of a header is in lower case. */
  readonly name: string;
  readonly place: ParameterPlace;
  readonly isRequired: boolean;
  /** Such as `form`: the default depends on the place (OpenAPI 3.0.4, section 4.7.12.2.1). */
  readonly style: string;
  readonly isExploded: boolean;
  /** Whether its text is JSON, as `content` declares it. */
  readonly isJson: boolean;
  readonly schema: Schema;
  readonly declaration: OpenAPIV3.ParameterObject;
}

export function parameterOf(declaration: OpenAPIV3.ParameterObject): Parameter {
  const { name, required = false, content, schema } = declaration;
  const place = declaration.in as ParameterPlace;
  const { style = place === 'query' || place === 'cookie' ? 'form' : 'simple' } = declaration;
  return {
    name,
    place,
    isRequired: required,
    style,
    isExploded: declaration.explode ?? style === 'form',
    isJson: content !== undefined,
    schema: (schema ?? findJson(content)?.[1].schema ?? {}) as Schema,
    declaration,
  };
}
