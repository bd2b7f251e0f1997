import type { ErrorObject } from 'ajv';
import type { OpenAPIV3 } from 'openapi-types';
import { escapeName } from '../contract/json-pointer.js';
import { type OperationEntry, type ParameterPlace, parametersIn } from '../contract/operations.js';
import type { Schema, SchemaDocument } from '../contract/schema-document.js';
import { memberRulesOf } from '../schema/member-rules.js';
import { allowsType } from '../schema/parse-text.js';
import { isExploded, schemaOf, styleOf } from './parameter-styles.js';

/** How an array and an object are sent in a parameter; completes "`filter` …". */
interface SentForm {
  readonly array: string | undefined;
  readonly object: string;
  /** Whether a parameter with the name of the object is never right, also if it is sent once. */
  readonly hasOtherNames: boolean;
}

/** Adds to an error of a parameter how its value is sent, if another form was sent, such as JSON. */
export type FormDescriber = (error: ErrorObject) => ErrorObject;

const places: readonly ParameterPlace[] = ['path', 'query', 'header', 'cookie'];
const separators: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '|' };

/** @returns `undefined` if each parameter is a single value. */
export function compileFormDescriber(document: SchemaDocument, entry: OperationEntry): FormDescriber | undefined {
  const parameters = places.flatMap((place) => parametersIn(place, document as OpenAPIV3.Document, entry));
  const pointerOf = ({ in: place, name }: OpenAPIV3.ParameterObject) => `/${place}/${escapeName(name)}`;
  const contents = new Set(parameters.filter(({ content }) => content !== undefined).map(pointerOf));
  const styled = parameters.filter(
    (parameter) =>
      parameter.content === undefined &&
      (['array', 'object'] as const).some((type) => allowsType(type, document, schemaOf(parameter))),
  );
  const forms = new Map(styled.map((parameter) => [pointerOf(parameter), formOf(document, parameter)]));
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

function formOf(document: SchemaDocument, parameter: OpenAPIV3.ParameterObject): SentForm {
  const { in: place, name } = parameter;
  const schema = schemaOf(parameter);
  const field = fieldOf(document, schema);
  const style = styleOf(parameter);
  const as = (text: string) => `must be sent as \`${text}\`.`;
  const asArray = (text: string) => (allowsType('array', document, schema) ? as(text) : undefined);
  if (style === 'deepObject') return { array: undefined, object: as(`${name}[${field}]=value`), hasOtherNames: true };
  const hasOtherNames = style === 'form' && isExploded(parameter);
  if (hasOtherNames)
    return { array: asArray(`${name}=item&${name}=item`), object: as(`${field}=value`), hasOtherNames };
  const start = place === 'query' || place === 'cookie' ? `${name}=` : '';
  const separator = separators[style] ?? ',';
  const object = `${field}${isExploded(parameter) ? '=' : separator}value`;
  return { array: asArray(`${start}item${separator}item`), object: as(`${start}${object}`), hasOtherNames };
}

/** The name of a field for an example: that of a single value, if there is one. */
function fieldOf(document: SchemaDocument, schema: Schema): string {
  const { names = [], find } = memberRulesOf(document).of(schema).fields ?? {};
  const isSingle = (name: string) => !allowsType('object', document, Object(find?.(name)) as Schema);
  return names.find(isSingle) ?? names[0] ?? 'name';
}
