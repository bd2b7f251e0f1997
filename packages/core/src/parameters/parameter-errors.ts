import type { ErrorObject } from 'ajv';
import { escapeName, unescapeName } from '../contract/json-pointer.js';
import type { Parameter } from '../contract/parameters.js';
import type { Schema, Schemas } from '../contract/schemas.js';
import { memberRulesOf } from '../schema/member-rules.js';
import type { SentForm } from './styles/style.js';
import { styleOf } from './styles/styles.js';

/** Describes an error of a parameter by what the client has sent, or should send. */
export type ErrorDescriber = (error: ErrorObject) => ErrorObject;

/** @returns `undefined` if each parameter is text that is sent by its own name, and a single value. */
export function compileErrorDescriber(schemas: Schemas, parameters: readonly Parameter[]): ErrorDescriber | undefined {
  const addForm = compileFormDescriber(schemas, parameters);
  const rename = compileErrorRenamer(schemas, parameters);
  if (addForm === undefined || rename === undefined) return addForm ?? rename;
  return (error) => rename(addForm(error));
}

/** Adds how a value is sent, if another form was sent, such as JSON. */
function compileFormDescriber(schemas: Schemas, parameters: readonly Parameter[]): ErrorDescriber | undefined {
  const pointerOf = ({ place, name }: Parameter) => `/${place}/${escapeName(name)}`;
  const contents = new Set(parameters.filter(({ isJson }) => isJson).map(pointerOf));
  const forms = new Map(
    parameters.flatMap((parameter) => {
      const form = findForm(schemas, parameter);
      return form === undefined ? [] : [[pointerOf(parameter), form] as const];
    }),
  );
  if (contents.size + forms.size === 0) return undefined;
  return (error) => {
    const { instancePath, keyword, params } = error;
    // JSON that is an array was not sent several times.
    if (contents.has(instancePath)) return { ...error, params: { ...params, isJson: true } };
    const form = forms.get(instancePath);
    if (form !== undefined) return keyword === 'type' ? withForm(error, form) : error;
    const [parent = ''] = /^.*(?=\/[0-9]+$)/.exec(instancePath) ?? [];
    const { array } = forms.get(parent) ?? {};
    if (array === undefined || !isJsonText(error.data)) return error;
    return { ...error, instancePath: parent, keyword: 'type', params: { ...params, form: array } };
  };
}

function withForm(error: ErrorObject, { object, hasOtherNames }: SentForm): ErrorObject {
  const isObject = [error.schema].flat().includes('object');
  const isRepeated = Array.isArray(error.data) && !hasOtherNames;
  return !isObject || isRepeated ? error : { ...error, params: { ...error.params, form: object } };
}

/** Whether an item is a part of an array or an object in JSON. */
function isJsonText(item: unknown): boolean {
  return typeof item === 'string' && /^\s*[[{]|[\]}]\s*$/.test(item);
}

/** @returns `undefined` for a single value, and for JSON. */
function findForm(schemas: Schemas, parameter: Parameter): SentForm | undefined {
  const { schema } = parameter;
  if (!schemas.allowsMembers(schema)) return undefined;
  const form = styleOf(parameter).sentForm?.(parameter, fieldOf(schemas, schema));
  return form === undefined || schemas.allows('array', schema) ? form : { ...form, array: undefined };
}

/** The name of a field for an example: that of a single value, if there is one. */
function fieldOf(schemas: Schemas, schema: Schema): string {
  const { names = [], find } = memberRulesOf(schemas).of(schema).fields ?? {};
  const isSingle = (name: string) => !schemas.allows('object', Object(find?.(name)) as Schema);
  return names.find(isSingle) ?? names[0] ?? 'name';
}

/** The members of `params` that name a field. */
const fieldNames = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName', 'tag'];

/** Names the parameter of the query that the client has sent, or should send, in place of a part of an object. */
function compileErrorRenamer(schemas: Schemas, parameters: readonly Parameter[]): ErrorDescriber | undefined {
  const inQuery = parameters.filter(({ place }) => place === 'query');
  const spreads = new Map(
    inQuery.flatMap((parameter) => {
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
