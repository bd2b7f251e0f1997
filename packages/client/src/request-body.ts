import { stringifyJson } from './exact-json.js';
import {
  type EssenceOf,
  isJson,
  isJsonLines,
  type JsonLinesMediaType,
  type JsonMediaType,
  mediaTypeOf,
  type TextMediaType,
} from './media-kinds.js';
import type { Writable } from './read-write.js';

/**
 * The body of an operation, and the header with its media type, which is required for any but `application/json`. Both
 * are optional if the body is. The conditions are tuples, so that the type does not distribute over the operations of
 * all paths, which TypeScript checks in each call: compiling would take ten times as long.
 */
export type BodyOption<Operation> = [Operation] extends [{ readonly requestBody: infer Body }]
  ? DeclaredBody<Body>
  : [Operation] extends [{ readonly requestBody?: infer Body }]
    ? DeclaredBody<Exclude<Body, undefined>> | NoBody
    : NoBody;

interface NoBody {
  readonly body?: never;
}

type DeclaredBody<Body> = Body extends { readonly content: infer Content }
  ? {
      [Type in keyof Content]: { readonly body: BodyToSend<EssenceOf<Type>, Content[Type]> } & TypeOption<Type>;
    }[keyof Content]
  : never;

type TypeOption<Type> = Type extends 'application/json'
  ? { readonly headers?: { readonly 'Content-Type'?: Type } }
  : { readonly headers: { readonly 'Content-Type': TypesIn<Type> } };

/** The media types of a range such as `image/*`. */
type TypesIn<Type> = Type extends `${infer Before}*${infer After}`
  ? `${TypesIn<Before>}${string}${TypesIn<After>}`
  : Type;

type Bytes = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

type BodyToSend<Type, Value> = Type extends JsonMediaType
  ? Writable<Value>
  : Type extends 'application/x-www-form-urlencoded'
    ? Writable<Value> | URLSearchParams
    : Type extends `multipart/${'form-data' | '*'}`
      ? Writable<Value, Blob> | FormData
      : Type extends TextMediaType
        ? string | (Type extends 'text/*' ? Writable<Value> : LinesToSend<Type, Value>)
        : Type extends '*/*' | 'application/*'
          ? Writable<Value> | string | Bytes
          : string | Bytes;

/** JSON lines are written from an array, if the schema describes one. */
type LinesToSend<Type, Value> = Type extends JsonLinesMediaType ? Extract<Writable<Value>, readonly unknown[]> : never;

/** What `fetch` sends for a body of a media type: JSON, JSON lines, the fields of a form, or the body itself. */
export function bodyToSend(body: unknown, contentType = 'application/json'): BodyInit {
  if (isJson(contentType)) return stringifyJson(body);
  if (isJsonLines(contentType) && Array.isArray(body)) return linesOf(body);
  const type = mediaTypeOf(contentType);
  if (!isObject(body)) return body as BodyInit;
  if (type === 'multipart/form-data') return withFields(new FormData(), body);
  if (type === 'application/x-www-form-urlencoded') return withFields(new URLSearchParams(), body);
  return stringifyJson(body);
}

/** What JSON does not have, such as `undefined`, is null, as in a JSON array. */
function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${(stringifyJson(value) as string | undefined) ?? 'null'}\n`).join('');
}

function isObject(body: unknown): body is Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || ArrayBuffer.isView(body)) return false;
  return ![Blob, ArrayBuffer, FormData, URLSearchParams, ReadableStream].some((type) => body instanceof type);
}

/** Adds each item of an array as a field of its own, dates as in parameters, and other objects as JSON. */
function withFields<Form extends FormData | URLSearchParams>(form: Form, fields: Readonly<Record<string, unknown>>) {
  for (const [name, value] of Object.entries(fields))
    for (const item of [value].flat()) if (item !== undefined) form.append(name, fieldOf(item) as string);
  return form;
}

function fieldOf(value: unknown): string | Blob {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' || value instanceof Blob ? value : stringifyJson(value);
}
