import type { Writable } from '../client/read-write.js';
import type { UploadedFile } from './uploaded-file.js';

/**
 * The body of a request and its media type, as the contract declares it. Of several media types, `mediaType` selects
 * the type of `body`. Both are `undefined` without a body.
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
        readonly body: WithDefaults<BodyValue<Lowercase<Type>, Content[Type]>, Defaults>;
      };
    }[keyof Content & string]
  : never;

/** The value of a body by its media type, in lower case, as `bodyKindOf` reads it. */
type BodyValue<Type, Value> = Type extends JsonType | `${JsonType};${string}`
  ? Writable<Value>
  : Type extends `application/x-www-form-urlencoded${string}`
    ? Writable<Value>
    : Type extends `multipart/${'form-data' | '*'}${string}`
      ? Writable<Value, UploadedFile>
      : Type extends TextType | `${TextType};${string}`
        ? string
        : Type extends '*/*' | 'application/*'
          ? AnyBody<Value>
          : UploadedFile;

type JsonType = `${'application' | 'text'}/json` | `application/${string}+json`;

type TextType =
  | `text/${string}`
  | `${string}+${'xml' | 'yaml'}`
  | `application/${'xml' | 'yaml' | 'x-yaml' | 'x-ndjson' | 'ndjson' | 'jsonl' | 'json-seq'}`
  | `application/${'javascript' | 'graphql' | 'jwt' | 'sql'}`;

/** A file without a schema, and for that of a file. */
type AnyBody<Value> = unknown extends Value ? UploadedFile : Value extends Blob ? UploadedFile : Writable<Value>;

/** An optional body stays optional. */
export type WithDefaults<T, Names> = T extends object
  ? T & { readonly [Name in keyof T & Names]-?: Exclude<T[Name], undefined> }
  : T;
