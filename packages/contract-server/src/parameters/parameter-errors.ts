import type { ErrorObject } from 'ajv';
import { escapeName, unescapeName } from '../contract/json-pointer.js';
import type { Parameter } from '../contract/parameters.js';
import type { Schemas } from '../contract/schemas.js';
import { styleOf } from './styles/styles.js';

/** Renames what an error is about to the query parameter that the client has sent, or should send. */
export type ErrorRenamer = (error: ErrorObject) => ErrorObject;

/** The members of `params` that name a field. */
const fieldNames = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName', 'tag'];

/** @returns `undefined` if no parameter is sent by other names than its own. */
export function compileErrorRenamer(schemas: Schemas, parameters: readonly Parameter[]): ErrorRenamer | undefined {
  const spreads = new Map(
    parameters.flatMap((parameter) => {
      const spread = styleOf(parameter).spread?.(schemas, parameter);
      return spread === undefined ? [] : [[parameter.name, spread] as const];
    }),
  );
  if (spreads.size === 0) return undefined;
  /** The path of a value in the query as the client has sent it. */
  const sentPath = (path: readonly string[]): readonly string[] =>
    (path.length > 1 ? spreads.get(path[0] ?? '')?.sentPath(path) : undefined) ?? path;
  return (error) => {
    const [place, ...path] = error.instancePath.split('/').slice(1).map(unescapeName);
    if (place !== 'query') return error;
    const field = fieldNames.find((name) => (error.params as Record<string, unknown>)[name] !== undefined);
    const value = field === undefined ? undefined : String((error.params as Record<string, unknown>)[field]);
    const sent = sentPath(value === undefined ? path : [...path, value]);
    const parent = value === undefined ? sent : sent.slice(0, -1);
    const names = Object.keys((error.parentSchema?.['properties'] ?? {}) as object).flatMap(
      (name) => (path.length === 0 ? spreads.get(name)?.names : undefined) ?? sentPath([...path, name]).slice(-1),
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
