import type { Readable, Writable } from '../client/read-write.js';
import type { Json } from '../json/exact-json.js';
import type { Quota } from './document.js';

/** The types of a contract: the interface `Contract` that `contract-server generate` writes. */
export interface ContractTypes {
  /** The operations of openapi-typescript, by operationId. */
  readonly operations: object;
  /** The schemas of the components, by name. */
  readonly schemas: object;
  /** The names of the parameters and fields with a default, by operationId and place. */
  readonly defaults: object;
  /** The security requirements, by operationId: the names of the schemes that each requires. */
  readonly security: object;
  /** The status of each code in `x-error-codes`. */
  readonly errorStatuses: object;
  /** The names of the plans in `x-rate-limit-plans`. */
  readonly planName: string;
  /** The environments of API keys in `x-key-prefixes`. */
  readonly environmentName: string;
}

/** The operations of the contract, by their operationId; without those of webhooks. */
export type OperationId<Contract extends ContractTypes> = keyof Contract['operations'] &
  keyof Contract['defaults'] &
  string;

/** A schema of the contract's components, by its name, as in responses: without properties that are `writeOnly`. */
export type Schema<Contract extends ContractTypes, Name extends keyof Contract['schemas']> = Readable<
  Contract['schemas'][Name]
>;

/** The validated parts of a request, with the defaults of the contract. */
export interface OperationRequest<Contract extends ContractTypes, Id extends OperationId<Contract>> {
  readonly path: ParametersIn<Contract['operations'][Id], 'path'>;
  readonly query: WithDefaults<
    ParametersIn<Contract['operations'][Id], 'query'>,
    DefaultsIn<Contract['defaults'][Id], 'query'>
  >;
  /** Only the headers that the contract declares for the operation, in lower case. */
  readonly header: WithDefaults<
    LowercaseKeys<ParametersIn<Contract['operations'][Id], 'header'>>,
    DefaultsIn<Contract['defaults'][Id], 'header'>
  >;
  /** Without properties that are `readOnly`. */
  readonly body: WithDefaults<
    Writable<BodyOf<Contract['operations'][Id]>>,
    DefaultsIn<Contract['defaults'][Id], 'body'>
  >;
}

/** A client that a security scheme has identified. */
export interface Caller {
  /** The id of the API key, or the subject of the token. It is in the log. */
  readonly id: string;
  /** The scopes that were granted to the caller. Default: none. */
  readonly scopes?: readonly string[];
  /** What its requests count against. Default: the client address. */
  readonly quota?: Quota | undefined;
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

/** The names of the security schemes that operations require. */
export type SchemeName<Contract extends ContractTypes> = NamesIn<Contract['security'][keyof Contract['security']]>;

type NamesIn<Requirements> = Requirements extends readonly (readonly (infer Name extends string)[])[] ? Name : never;

/** A response that the contract declares for the operation: a status, with the body and the headers declared for it. */
export type OperationResponse<Contract extends ContractTypes, Id extends OperationId<Contract>> = DeclaredResponse<
  ResponsesOf<Contract['operations'][Id]>
>;

export type Handler<Contract extends ContractTypes, Id extends OperationId<Contract>> = (
  request: OperationRequest<Contract, Id>,
  metadata: RequestMetadata,
) => Promise<OperationResponse<Contract, Id>>;

/**
 * One handler for each operation that declares a successful response. The other operations are reserved, and
 * openapi-backend's `notImplemented` handler serves them.
 */
export type Handlers<Contract extends ContractTypes, _Callers = unknown> = {
  readonly [Id in ImplementedId<Contract>]: Handler<Contract, Id>;
};

/** A handler of any operation: validation ensures that the request has the type of its handler. */
export type AnyHandler = (
  request: Readonly<Record<'path' | 'query' | 'header' | 'body', never>>,
  metadata: RequestMetadata,
) => Promise<unknown>;

/** Handlers of any contract, by operationId. */
export type AnyHandlers = Readonly<Record<string, AnyHandler>>;

type ImplementedId<Contract extends ContractTypes> = {
  [Id in OperationId<Contract>]: Extract<keyof ResponsesOf<Contract['operations'][Id]>, SuccessStatus> extends never
    ? never
    : Id;
}[OperationId<Contract>];

/** A redirect is a success too. */
type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 301 | 302 | 303 | 304 | 307 | 308;

type ParametersIn<Operation, Place extends string> = Operation extends { readonly parameters: infer Parameters }
  ? Parameters extends Readonly<Partial<Record<Place, infer Values>>>
    ? Exclude<Values, undefined>
    : never
  : never;

type DefaultsIn<Defaults, Place extends string> = Defaults extends Readonly<Record<Place, infer Names>> ? Names : never;

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

type ResponsesOf<Operation> = Operation extends { readonly responses: infer Responses } ? Responses : never;

type DeclaredResponse<Responses> = {
  [Status in keyof Responses & number]: BodyOfResponse<Responses[Status]> & {
    readonly status: Status;
    readonly headers?: HeadersOf<Responses[Status]>;
  };
}[keyof Responses & number];

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
