import type { ErrorObject } from 'ajv';
import { escapeName } from '../contract/json-pointer.js';
import type { Parameter } from '../contract/parameters.js';
import type { Schema, Schemas } from '../contract/schemas.js';
import { memberRulesOf } from '../schema/member-rules.js';
import type { SentForm } from './styles/style.js';
import { styleOf } from './styles/styles.js';

/** Adds to an error of a parameter how its value is sent, if another form was sent, such as JSON. */
export type FormDescriber = (error: ErrorObject) => ErrorObject;

/** @returns `undefined` if each parameter is a single value. */
export function compileFormDescriber(schemas: Schemas, parameters: readonly Parameter[]): FormDescriber | undefined {
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
