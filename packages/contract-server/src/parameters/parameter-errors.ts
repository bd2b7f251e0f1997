import type { ErrorObject } from 'ajv';
import type { OpenAPIV3 } from 'openapi-types';
import { escapeName, unescapeName } from '../contract/json-pointer.js';
import type { SchemaDocument } from '../contract/schema-document.js';
import { memberRulesOf } from '../schema/member-rules.js';
import { hasOwnParameters, schemaOf, styleOf } from './parameter-styles.js';

/** Renames what an error is about to the query parameter that the client has sent, or should send. */
export type ErrorRenamer = (error: ErrorObject) => ErrorObject;

/** The members of `params` that name a field. */
const fieldNames = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName', 'tag'];

/** @returns `undefined` if no parameter is sent by other names than its own. */
export function compileErrorRenamer(
  document: SchemaDocument,
  parameters: readonly OpenAPIV3.ParameterObject[],
): ErrorRenamer | undefined {
  const deepObjects = parameters.filter((parameter) => styleOf(parameter) === 'deepObject').map(({ name }) => name);
  const exploded = parameters.filter((parameter) => hasOwnParameters(document, parameter));
  if (deepObjects.length + exploded.length === 0) return undefined;
  const rules = memberRulesOf(document);
  const propertiesOf = new Map(exploded.map((each) => [each.name, rules.of(schemaOf(each)).fields?.names ?? []]));
  /** The path of a value in the query as the client has sent it. */
  const sentPath = ([name = '', ...rest]: readonly string[]): readonly string[] => {
    if (rest.length === 0) return [name];
    if (propertiesOf.has(name)) return rest;
    return deepObjects.includes(name) ? [`${name}${rest.map((each) => `[${each}]`).join('')}`] : [name, ...rest];
  };
  return (error) => {
    const [place, ...path] = error.instancePath.split('/').slice(1).map(unescapeName);
    if (place !== 'query') return error;
    const field = fieldNames.find((name) => (error.params as Record<string, unknown>)[name] !== undefined);
    const value = field === undefined ? undefined : String((error.params as Record<string, unknown>)[field]);
    const sent = sentPath(value === undefined ? path : [...path, value]);
    const parent = value === undefined ? sent : sent.slice(0, -1);
    const names = Object.keys((error.parentSchema?.['properties'] ?? {}) as object).flatMap(
      (name) => (path.length === 0 ? propertiesOf.get(name) : undefined) ?? sentPath([...path, name]).slice(-1),
    );
    const isUnknown = field === 'additionalProperty' || field === 'unevaluatedProperty';
    return {
      ...error,
      instancePath: ['', 'query', ...parent.map(escapeName)].join('/'),
      ...(field !== undefined && { params: { ...error.params, [field]: sent.at(-1) } }),
      // Of an unknown parameter, the message lists those that are allowed.
      ...(isUnknown && { parentSchema: { properties: Object.fromEntries(names.map((name) => [name, {}])) } }),
    };
  };
}
