import type { Parameter, ParameterPlace } from '../../contract/parameters.js';
import type { Schemas } from '../../contract/schemas.js';

/** How the values of parameters are sent in one style (OpenAPI 3.0.4, section 4.7.12.3). */
export interface Style {
  readonly places: readonly ParameterPlace[];
  /**
   * Returns the function that reads the text of a parameter as sent: an array, an object or JSON, whose texts are not
   * converted to their types; `undefined` for a parameter whose text is its value, or that has other names.
   *
   * @param decode removes the encoding of a single text, such as percent-encoding.
   */
  readonly decoder?: (schemas: Schemas, parameter: Parameter, decode: Decode) => Decode<unknown> | undefined;
  /** Of a parameter of the query that is sent under other names than its own; `undefined` for any other. */
  readonly spread?: (schemas: Schemas, parameter: Parameter) => Spread | undefined;
  /**
   * How an array and an object are sent, for messages. Without it, they are JSON.
   *
   * @param field the name of a field of the object.
   */
  readonly sentForm?: (parameter: Parameter, field: string) => SentForm;
  /** Why a parameter is not supported, which completes "The query parameter limit …"; `undefined` if it is. */
  readonly problem?: (schemas: Schemas, parameter: Parameter) => string | undefined;
}

export type Decode<Value = string> = (text: string) => Value;

/** A parameter of the query that is sent as several ones, under other names than its own. */
export interface Spread {
  /** Whether a parameter is a part of it. Called with its own name, and with undeclared ones. */
  readonly accepts: (name: string) => boolean;
  /** Starts to read a query, to which it adds the value. */
  readonly read: (query: Record<string, unknown>) => SpreadReader;
  /** The name, and the rest of the path, under which a client sends the part of the value with this path. */
  readonly sentPath: (path: readonly string[]) => readonly string[];
  /** The names under which all parts are sent; `undefined` if they begin with the name of the parameter. */
  readonly names?: readonly string[];
}

export interface SpreadReader {
  /** @param value as sent. @throws URIError */
  readonly add: (name: string, value: string) => void;
  /** Called after the last part. @throws ApiError `invalid_request` beyond the limits. */
  readonly finish?: () => void;
}

/** How an array and an object are sent; both complete "`filter` …". */
export interface SentForm {
  /** `undefined` in a style that has no arrays. */
  readonly array: string | undefined;
  readonly object: string;
  /** Whether a parameter with the name of the object is never right, also if it is sent once. */
  readonly hasOtherNames: boolean;
}

/** Completes "`filter` …". */
export function sentAs(text: string): string {
  return `must be sent as \`${text}\`.`;
}
