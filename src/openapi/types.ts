import type { Defaults, EnvironmentName, PlanName } from '#generated/extensions.js';
import type { components, operations, Readable, Writable } from '#generated/openapi.js';
import type { Json } from '../json/exact-json.js';

export type { EnvironmentName, PlanName };

/** The operations of the contract, by their operationId; without those of webhooks. */
export type OperationId = keyof operations & keyof Defaults;

/** A schema of the contract's components, by its name, as in responses: without properties that are `writeOnly`. */
export type Schema<Name extends keyof components['schemas']> = Readable<components['schemas'][Name]>;

/** The validated parts of a request, with the defaults of the contract. */
export interface OperationRequest<Id extends OperationId> {
  readonly path: ParametersIn<operations[Id]['parameters'], 'path'>;
  readonly query: WithDefaults<ParametersIn<operations[Id]['parameters'], 'query'>, Defaults[Id]['query']>;
  /** Only the headers that the contract declares for the operation, in lower case. */
  readonly header: WithDefaults<
    LowercaseKeys<ParametersIn<operations[Id]['parameters'], 'header'>>,
    Defaults[Id]['header']
  >;
  /** Without properties that are `readOnly`. */
  readonly body: WithDefaults<Writable<BodyOf<operations[Id]>>, Defaults[Id]['body']>;
}

/** A client that a security scheme has identified. */
export interface Caller {
  /** The id of the API key, or the subject of the token. */
  readonly id: string;
  readonly name: string;
  /** The scopes that were granted to the caller; an API key has none. */
  readonly scopes: readonly string[];
}

/** The callers, the quota and the raw body of a request. */
export interface RequestMetadata {
  /**
   * One caller for each scheme of the security requirement that the request satisfies, in the order of the contract.
   * Empty without a requirement, or if only the empty one is satisfied.
   */
  readonly callers: readonly Caller[];
  /** The quota of the API key that the request counts against; empty without one, if the operation needs no key. */
  readonly quotaId: string;
  /** The body as sent; empty if there is none. */
  readonly bodyBytes: Uint8Array;
}

/** A response that the contract declares for the operation: a status, with the body and the headers declared for it. */
export type OperationResponse<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & number]: BodyOfResponse<operations[Id]['responses'][Status]> & {
    readonly status: Status;
    readonly headers?: HeadersOf<operations[Id]['responses'][Status]>;
  };
}[keyof operations[Id]['responses'] & number];

export type Handler<Id extends OperationId> = (
  request: OperationRequest<Id>,
  metadata: RequestMetadata,
) => Promise<OperationResponse<Id>>;

/**
 * One handler for each operation that declares a successful response. The other operations are reserved, and
 * openapi-backend's `notImplemented` handler serves them.
 */
export type Handlers = { readonly [Id in ImplementedId]: Handler<Id> };

type ImplementedId = {
  [Id in OperationId]: Extract<keyof operations[Id]['responses'], SuccessStatus> extends never ? never : Id;
}[OperationId];

/** A redirect is a success too. */
type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 301 | 302 | 303 | 304 | 307 | 308;

type ParametersIn<Parameters, Place extends string> =
  Parameters extends Readonly<Partial<Record<Place, infer Values>>> ? Exclude<Values, undefined> : never;

/** An optional body stays optional. */
type WithDefaults<T, Names> = T extends object
  ? T & { readonly [Name in keyof T & Names]-?: Exclude<T[Name], undefined> }
  : T;

type LowercaseKeys<T> = { readonly [Name in keyof T as Lowercase<Name & string>]: T[Name] };

/** `undefined` without a body, and if the body is optional. */
type BodyOf<Operation> = Operation extends { readonly requestBody: infer Body }
  ? ContentOf<Body>
  : Operation extends { readonly requestBody?: infer Body }
    ? ContentOf<Body> | undefined
    : undefined;

type ContentOf<Body> = Body extends { readonly content: infer Content } ? Content[keyof Content] : undefined;

/** JSON text of the declared body, or a body of another media type; a response without content has none. */
type BodyOfResponse<Response> = Response extends { readonly content: infer Content }
  ? { [Type in keyof Content]: BodyOfType<Type, Content[Type]> }[keyof Content]
  : { readonly body?: never };

/** The first media type that is JSON is the default. */
type BodyOfType<Type, Body> = Type extends `application/${'' | `${string}+`}json${string}`
  ? { readonly body: Json<Readable<Body>>; readonly mediaType?: Type }
  : { readonly body: string | Uint8Array; readonly mediaType: Type };

/** The headers declared for a response, without the index signature that openapi-typescript adds to each. */
type HeadersOf<Response> = Response extends { readonly headers: infer Headers }
  ? { readonly [Name in keyof Headers as string extends Name ? never : Name]?: string }
  : never;
