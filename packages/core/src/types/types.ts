import type { EssenceOf, JsonMediaType } from '@contract-server/client/media-kinds.js';
import type { Readable } from '@contract-server/client/read-write.js';
import type { Digit, StatusFrom } from '@contract-server/client/statuses.js';
import type { Logger } from 'pino';
import type { Quota } from '../contract/document.js';
import type { Links } from '../contract/links.js';
import type { Json } from '../json/exact-json.js';
import type { RequestBody, WithDefaults } from './body-types.js';
import type { Negotiation, SuccessType, TypesIn } from './negotiation.js';
import type { OtherBody } from './stream-types.js';

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
export type OperationRequest<Contract extends ContractTypes, Id extends OperationId<Contract>> = RequestParameters<
  Contract,
  Id
> &
  RequestBody<Contract['operations'][Id], DefaultsIn<Contract['defaults'][Id], 'body'>>;

interface RequestParameters<Contract extends ContractTypes, Id extends OperationId<Contract>> {
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
  /** Only the cookies that the contract declares for the operation. */
  readonly cookie: WithDefaults<
    ParametersIn<Contract['operations'][Id], 'cookie'>,
    DefaultsIn<Contract['defaults'][Id], 'cookie'>
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

/** The types of callers by the name of the security scheme that identifies them. */
export type CallersByScheme = Readonly<Record<string, Caller>>;

/** What a handler receives besides the parts of the request that the contract declares. */
export interface RequestMetadata<Id extends string = string> {
  readonly operationId: Id;
  /** The quota that the request counts against. `undefined` without a quota, so that such callers share no scope. */
  readonly quotaId: string | undefined;
  /** The body as sent, without its compression; empty if there is none, or if it is multipart or a file. */
  readonly bodyBytes: Uint8Array;
  /** The value of `X-Request-Id` in the response. */
  readonly requestId: string;
  /** Pino's logger; each line has the request id. */
  readonly log: Logger;
  /**
   * Aborted when the client disconnects, or closes its side of the connection, before the response was sent, and when
   * its event stream ends because the service stops.
   */
  readonly signal: AbortSignal;
  /** The `Last-Event-ID` of a client that connects to an event stream again; `undefined` without one. */
  readonly lastEventId: string | undefined;
  /** The IP address of the client or, without trusted proxies, of the connection; `undefined` once it is closed. */
  readonly clientAddress: string | undefined;
  /** URLs of operations. */
  readonly links: Pick<Links<Id>, 'to' | 'baseUrl'>;
}

/**
 * The metadata of a request, with the callers of the security requirement that it satisfies. `callers` has them by
 * security scheme; that of a scheme that every requirement names is not `undefined`. `caller` exists if no requirement
 * names several schemes, and can be `undefined` only if the operation requires no credentials.
 */
export type HandlerContext<
  Contract extends ContractTypes,
  Id extends OperationId<Contract>,
  Callers = CallersByScheme,
> = RequestMetadata<OperationId<Contract>> & { readonly operationId: Id } & Negotiation<
    SuccessType<ResponsesOf<Contract['operations'][Id]>>
  > &
  CallersContext<RequirementsOf<Contract['security'], Id>, Callers>;

/** The names of the security schemes that operations require. */
export type SchemeName<Contract extends ContractTypes> = NamesIn<Contract['security'][keyof Contract['security']]>;

/** None without a requirement, and for `{}`, which requires nothing. */
type NamesIn<Security> = Security extends Requirements ? Security[number][number] : never;

/** A response that the contract declares for the operation: a status, with the body and the headers declared for it. */
export type OperationResponse<Contract extends ContractTypes, Id extends OperationId<Contract>> = {
  [Key in StatusKey<Contract, Id>]: ResponseOf<Contract, Id, Key>;
}[StatusKey<Contract, Id>];

/**
 * A function that responds to the requests of an operation. TypeScript does not report undeclared fields of an object
 * that a function returns, unless the type of the response is written; they are dropped at run time.
 *
 * @typeParam Callers the types of callers by security scheme, such as those that the security handlers return.
 */
export type Handler<Contract extends ContractTypes, Id extends OperationId<Contract>, Callers = CallersByScheme> = (
  request: OperationRequest<Contract, Id>,
  context: HandlerContext<Contract, Id, Callers>,
) => Promise<HandlerResponse<Contract, Id>>;

/**
 * The responses of an operation, and one that no handler can return. The compiler compares an undeclared status with
 * the last type of the union, whose status lists those that are declared.
 */
type HandlerResponse<Contract extends ContractTypes, Id extends OperationId<Contract>> =
  | OperationResponse<Contract, Id>
  | UndeclaredResponse<Id, StatusKey<Contract, Id>>;

interface UndeclaredResponse<Id, Statuses> {
  readonly status: DeclaredStatus<Id, Statuses>;
  readonly body?: object;
  readonly headers?: never;
  readonly mediaType?: never;
}

interface DeclaredStatus<Id, Statuses> {
  readonly [undeclared]: readonly [Id, Statuses];
}

declare const undeclared: unique symbol;

/**
 * One handler for each operation that declares a successful response, or `default` alone. The other operations are
 * reserved, and openapi-backend's `notImplemented` handler serves them.
 */
export type Handlers<Contract extends ContractTypes, Callers = CallersByScheme> = {
  // Mapping the names of a generated type keeps their comments, which editors show where a handler is written.
  readonly [Id in keyof Contract['defaults'] as Extract<Id, ImplementedId<Contract>>]: Handler<
    Contract,
    Extract<Id, OperationId<Contract>>,
    Callers
  >;
};

/**
 * Those of a router. `'next'` passes the validated request on to the next route of the application, where `validatedOf`
 * returns what a handler receives, and `request.body` is the validated body.
 */
export type RouterHandlers<Contract extends ContractTypes, Callers = CallersByScheme> = {
  readonly [Id in keyof Handlers<Contract, Callers>]: Handlers<Contract, Callers>[Id] | 'next';
};

/** A handler of any operation: validation ensures that the request has the type of its handler. */
export type AnyHandler = (request: never, context: never) => Promise<unknown>;

/** Handlers of any contract, by operationId. */
export type AnyHandlers = Readonly<Record<string, AnyHandler | 'next' | undefined>>;

type ImplementedId<Contract extends ContractTypes> = {
  [Id in OperationId<Contract>]: IsImplemented<keyof ResponsesOf<Contract['operations'][Id]>> extends true ? Id : never;
}[OperationId<Contract>];

type IsImplemented<Status> = [Exclude<Status, 'default'>] extends [never]
  ? true
  : [Extract<`${Status & (string | number)}`, SuccessStatus>] extends [never]
    ? false
    : true;

/** A redirect is a success too. */
type SuccessStatus = `${2 | 3}${string}`;

type Requirements = readonly (readonly string[])[];

type RequirementsOf<Security, Id> = Id extends keyof Security
  ? Security[Id] extends infer Declared extends Requirements
    ? Declared
    : readonly []
  : readonly [];

type CallersContext<Declared extends Requirements, Callers> = {
  readonly callers: {
    readonly [Name in Declared[number][number]]: CallerOf<Callers, Name> | IfUnnamed<Declared[number], Name>;
  };
} & (NamesOneAtMost<Declared[number]> extends true
  ? { readonly caller: CallerOf<Callers, Declared[number][number]> | IfNoneRequired<Declared> }
  : unknown);

type CallerOf<Callers, Name> = Name extends keyof Callers ? Callers[Name] : Name extends string ? Caller : never;

/** `undefined` if one of the requirements does not name the scheme. */
type IfUnnamed<Requirement extends readonly string[], Name> = Requirement extends readonly string[]
  ? Name extends Requirement[number]
    ? never
    : undefined
  : never;

type IfNoneRequired<Declared extends Requirements> = Declared extends readonly []
  ? undefined
  : readonly [] extends Declared[number]
    ? undefined
    : never;

type NamesOneAtMost<Requirement extends readonly string[]> = Requirement['length'] extends 0 | 1 ? true : false;

type ParametersIn<Operation, Place extends string> = Operation extends { readonly parameters: infer Parameters }
  ? Parameters extends Readonly<Partial<Record<Place, infer Values>>>
    ? ObjectIfNever<Exclude<Values, undefined>>
    : never
  : never;

/** A place without parameters has an empty object. */
type ObjectIfNever<Values> = [Values] extends [never] ? object : Values;

type DefaultsIn<Defaults, Place extends string> = Defaults extends Readonly<Record<Place, infer Names>> ? Names : never;

type LowercaseKeys<T> = { readonly [Name in keyof T as Lowercase<Name & string>]: T[Name] };

type ResponsesOf<Operation> = Operation extends { readonly responses: infer Responses } ? Responses : never;

/** A status, a range or `default`, as the operation declares it. */
type StatusKey<Contract extends ContractTypes, Id extends OperationId<Contract>> = keyof ResponsesOf<
  Contract['operations'][Id]
>;

type StatusOf<Contract extends ContractTypes, Id extends OperationId<Contract>, Key> = StatusesOf<
  Key,
  StatusKey<Contract, Id>
>;

type ResponseAt<Contract extends ContractTypes, Id extends OperationId<Contract>, Key> =
  Key extends StatusKey<Contract, Id> ? ResponsesOf<Contract['operations'][Id]>[Key] : never;

/** What the contract describes for a media type of a response. */
type BodyAt<Contract extends ContractTypes, Id extends OperationId<Contract>, Key, Type> =
  ResponseAt<Contract, Id, Key> extends { readonly content: infer Content }
    ? Type extends keyof Content
      ? Readable<Content[Type]>
      : never
    : never;

/** A declared status; those of a range (`2XX`) that are not declared themselves; every one for `default` alone. */
type StatusesOf<Key, Declared> = Key extends number
  ? Key
  : Key extends `${infer First extends Digit}XX`
    ? Exclude<StatusFrom<First>, Declared>
    : [Declared] extends ['default']
      ? StatusFrom<2 | 3 | 4 | 5>
      : never;

/**
 * The first media type that is JSON is the default, or the only one. A response without content has no body.
 *
 * The types of responses name the contract, the operation and the media type, because the compiler prints what they are
 * made of in its messages, which would be a whole schema otherwise.
 */
type ResponseOf<Contract extends ContractTypes, Id extends OperationId<Contract>, Key> = [
  StatusOf<Contract, Id, Key>,
] extends [never]
  ? never
  : ResponseAt<Contract, Id, Key> extends { readonly content: infer Content }
    ? ResponsesIn<{
        [Type in keyof Content]: MediaResponse<Contract, Id, Key, Type, IsUnion<keyof Content>>;
      }>
    : EmptyResponse<Contract, Id, Key>;

/** JSON is the last type of the union, with which the compiler compares a body that fits none. */
type ResponsesIn<Responses> =
  | Responses[Exclude<keyof Responses, `${JsonMediaType}${string}`>]
  | Responses[Extract<keyof Responses, `${JsonMediaType}${string}`>];

/** A handler names one of several media types of a body that is not JSON, and one of a range such as `text/*`. */
type MediaResponse<Contract extends ContractTypes, Id extends OperationId<Contract>, Key, Type, AreSeveral> =
  EssenceOf<Type> extends '*/*' | 'application/*'
    ? JsonResponse<Contract, Id, Key, Type> | NamedResponse<OtherResponse<Contract, Id, Key, Type>>
    : EssenceOf<Type> extends JsonMediaType
      ? NamedIf<IsRange<Type>, JsonResponse<Contract, Id, Key, Type>>
      : NamedIf<IsRange<Type> | AreSeveral, OtherResponse<Contract, Id, Key, Type>>;

type IsRange<Type> = Type extends `${string}*${string}` ? true : false;

type NamedIf<Condition, Response> = true extends Condition ? NamedResponse<Response> : Response;

type NamedResponse<Response> = Response & { readonly mediaType: unknown };

type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never;

// The status comes first, because the compiler reports the first property that is wrong.
interface JsonResponse<Contract extends ContractTypes, Id extends OperationId<Contract>, Key, Type> {
  readonly status: StatusOf<Contract, Id, Key>;
  readonly body: JsonBody<Contract, Id, Key, Type>;
  readonly headers?: HeadersOf<ResponseAt<Contract, Id, Key>>;
  /** Default: the first media type that is JSON. */
  readonly mediaType?: TypesIn<Type>;
}

type JsonBody<Contract extends ContractTypes, Id extends OperationId<Contract>, Key, Type> = BodyToWrite<
  BodyAt<Contract, Id, Key, Type>
>;

interface OtherResponse<Contract extends ContractTypes, Id extends OperationId<Contract>, Key, Type> {
  readonly status: StatusOf<Contract, Id, Key>;
  readonly body: EssenceOf<Type> extends '*/*' | 'application/*'
    ? OtherBody<unknown, unknown>
    : OtherBody<EssenceOf<Type>, BodyAt<Contract, Id, Key, Type>>;
  readonly headers?: HeadersOf<ResponseAt<Contract, Id, Key>>;
  readonly mediaType?: TypesIn<Type>;
}

interface EmptyResponse<Contract extends ContractTypes, Id extends OperationId<Contract>, Key> {
  readonly status: StatusOf<Contract, Id, Key>;
  readonly body?: never;
  readonly headers?: HeadersOf<ResponseAt<Contract, Id, Key>>;
}

/**
 * A plain value, or JSON text. A string is always taken as JSON text, so a body that is a string is
 * `stringifyJson('text')`.
 */
type BodyToWrite<Body> =
  | (unknown extends Body ? object | number | bigint | boolean | null : Exclude<Body, string>)
  | Json<Body>;

/** The headers declared for a response, without the index signature that openapi-typescript adds to each. */
type HeadersOf<Response> = Response extends { readonly headers: infer Headers }
  ? { readonly [Name in keyof Headers as HeaderName<Name>]?: HeaderValue<Name, Headers[Name]> } extends infer Declared
    ? keyof Declared extends never
      ? never
      : Declared
    : never
  : never;

/** Those of the connection are left out, because only the server may write them. */
type HeaderName<Name> = string extends Name ? never : Lowercase<Name & string> extends ServerHeader ? never : Name;

type ServerHeader =
  | 'connection'
  | 'content-length'
  | 'date'
  | 'keep-alive'
  | 'te'
  | 'trailer'
  | 'transfer-encoding'
  | 'upgrade'
  | `proxy-${string}`;

/** A response may have several `Set-Cookie` headers. The members of any other list are joined. */
type HeaderValue<Name, Declared> =
  | string
  | (Lowercase<Name & string> extends 'set-cookie'
      ? readonly string[]
      : Exclude<Declared, undefined> extends readonly unknown[]
        ? readonly string[]
        : never);
