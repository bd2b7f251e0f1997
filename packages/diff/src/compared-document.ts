import type { RateLimitExtensions } from '@contract-server/core/contract/document.js';
import type { OpenAPIV3 } from 'openapi-types';

/** The properties of an operation that the comparison depends on. */
export interface ComparedOperation {
  readonly operationId?: string;
  readonly 'x-stability'?: string;
  readonly 'x-deprecated-at'?: string;
  readonly 'x-sunset'?: string;
}

/** The properties of a document that the comparison depends on. */
export interface ComparedDocument extends RateLimitExtensions {
  readonly info: { readonly version: string };
  readonly servers?: readonly OpenAPIV3.ServerObject[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, ComparedOperation>>>>;
}

/** An object of a document. */
export type Values = Readonly<Record<string, unknown>>;

/** The names and indexes that lead to a part of a document. */
export type Path = readonly (string | number)[];

/** Who sends a value: a client in a request, or the service in a response. Callbacks and webhooks swap the two. */
export type Direction = 'request' | 'response';

/** The other direction. */
export function opposite(direction: Direction): Direction {
  return direction === 'request' ? 'response' : 'request';
}

/** The object at a place of a document; an empty one if there is none. */
export function valuesOf(node: unknown): Values {
  return typeof node === 'object' && node !== null ? (node as Values) : {};
}

/** The names in either object, those of the first one first. */
export function namesIn(before: object, after: object): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

/** The values of each key in either map. */
export function pairsOf<Key, Value>(
  before: ReadonlyMap<Key, Value>,
  after: ReadonlyMap<Key, Value>,
): readonly (readonly [key: Key, before: Value | undefined, after: Value | undefined])[] {
  return [...new Set([...before.keys(), ...after.keys()])].map(
    (key) => [key, before.get(key), after.get(key)] as const,
  );
}
