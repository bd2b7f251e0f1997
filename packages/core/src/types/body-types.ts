import type {
  EssenceOf,
  JsonLinesMediaType,
  JsonMediaType,
  TextMediaType,
} from '@contract-server/client/media-kinds.js';
import type { Writable } from '@contract-server/client/read-write.js';
import type { UploadedFile } from '../bodies/uploaded-file.js';

/**
 * The body of a request and its media type, as the contract declares it. Of several media types, `mediaType` selects
 * the type of `body`. Both are `undefined` without a body. The most specific declared media type applies: a request
 * must have its parameters, such as `profile`, and may have others.
 *
 * @typeParam Defaults the names of the fields with a default.
 */
export type RequestBody<Operation, Defaults> = Operation extends { readonly requestBody: infer Body }
  ? DeclaredBody<Body, Defaults>
  : Operation extends { readonly requestBody?: infer Body }
    ? DeclaredBody<Exclude<Body, undefined>, Defaults> | NoBody
    : NoBody;

interface NoBody {
  readonly mediaType: undefined;
  readonly body: undefined;
}

type DeclaredBody<Body, Defaults> = Body extends { readonly content: infer Content }
  ? {
      [Type in keyof Content & string]: {
        readonly mediaType: Type;
        /** Without properties that are `readOnly`. */
        readonly body: WithDefaults<BodyValue<EssenceOf<Type>, Content[Type]>, Defaults>;
      };
    }[keyof Content & string]
  : never;

/** The value of a body by its media type, in lower case and without parameters, as `bodyKindsOf` reads it. */
type BodyValue<Type, Value> = Type extends JsonMediaType | 'application/x-www-form-urlencoded'
  ? Writable<Value>
  : Type extends `multipart/${'form-data' | '*'}`
    ? Writable<Value, UploadedFile>
    : Type extends 'text/*'
      ? string | Writable<Value>
      : Type extends TextMediaType
        ? JsonLines<Type, Value>
        : Type extends '*/*' | 'application/*'
          ? AnyBody<Value>
          : UploadedFile;

/** JSON lines are an array, if the schema describes one. */
type JsonLines<Type, Value> = Type extends JsonLinesMediaType
  ? Value extends readonly unknown[]
    ? Writable<Value>
    : string
  : string;

/** By what is sent: JSON and forms, text, or a file. Always a file without a schema, and for that of a file. */
type AnyBody<Value> = unknown extends Value
  ? UploadedFile
  : Value extends Blob
    ? UploadedFile
    : Writable<Value> | Writable<Value, UploadedFile> | string | UploadedFile;

/** An optional body stays optional. */
export type WithDefaults<T, Names> = T extends object
  ? T & { readonly [Name in keyof T & Names]-?: Exclude<T[Name], undefined> }
  : T;
