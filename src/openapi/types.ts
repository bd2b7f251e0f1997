import type { Defaults, ErrorStatuses, PlanName } from '../../generated/extensions.js';
import type { components, operations } from '../../generated/openapi.js';
import type { Json } from '../json/exact-json.js';

export type { PlanName };

/** The operations of the contract, by their operationId. */
export type OperationId = keyof operations;

/** A value of `Error.code`, from the contract's `x-error-codes`. */
export type ErrorCode = keyof ErrorStatuses;

export type Pet = components['schemas']['Pet'];
export type Pets = components['schemas']['Pets'];
export type PetStatus = components['schemas']['PetStatus'];
/** An animal to be added, after validation: the defaults of the contract are filled in. */
export type NewPet = OperationRequest<'createPet'>['body'];
export type ErrorBody = components['schemas']['Error'];

/** What a handler receives: validated, typed, with the defaults of the contract filled in. */
export interface OperationRequest<Id extends OperationId> {
  readonly path: Part<operations[Id]['parameters'], 'path'>;
  readonly query: Filled<Part<operations[Id]['parameters'], 'query'>, Defaults[Id]['query']>;
  /** The headers that the contract declares for the operation, in lower case; no others. */
  readonly header: Lowered<Part<operations[Id]['parameters'], 'header'>>;
  readonly body: Filled<BodyOf<operations[Id]>, Defaults[Id]['body']>;
}

/** Where a call comes from, beside what it says. */
export interface Origin {
  /**
   * The budget that it is counted against: that of its key. Where an operation takes calls without one, the client's
   * address.
   */
  readonly quotaId: string;
  /** The body as it was sent; empty where there is none. */
  readonly bodyBytes: Uint8Array;
}

/** What a handler answers: a status that the contract declares for the operation, with the body declared for it. */
export type OperationResponse<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & number]: {
    readonly status: Status;
    readonly body: BodyText<operations[Id]['responses'][Status]>;
    readonly headers?: HeadersOf<operations[Id]['responses'][Status]>;
  };
}[keyof operations[Id]['responses'] & number];

export type Handler<Id extends OperationId> = (
  call: OperationRequest<Id>,
  origin: Origin,
) => Promise<OperationResponse<Id>>;

/**
 * One handler for each operation that declares a successful response: none missing, none that the contract does not
 * have. The others are reserved, and openapi-backend's `notImplemented` handler serves them.
 */
export type Handlers = { readonly [Id in ImplementedId]: Handler<Id> };

type ImplementedId = {
  [Id in OperationId]: Extract<keyof operations[Id]['responses'], SuccessStatus> extends never ? never : Id;
}[OperationId];

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206;

type Part<Parameters, Place extends string> =
  Parameters extends Readonly<Partial<Record<Place, infer Values>>> ? Exclude<Values, undefined> : never;

type Filled<T, Names> = T & { readonly [Name in keyof T & Names]-?: Exclude<T[Name], undefined> };

type Lowered<T> = { readonly [Name in keyof T as Lowercase<Name & string>]: T[Name] };

type BodyOf<Operation> = Operation extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer Body } };
}
  ? Body
  : undefined;

/** JSON text of what is declared; nothing where the response has no content. */
type BodyText<Response> = Response extends { readonly content: { readonly 'application/json': infer Body } }
  ? Json<Body>
  : undefined;

/** The headers declared for a response, without the index signature that openapi-typescript adds to each. */
type HeadersOf<Response> = Response extends { readonly headers: infer Headers }
  ? { readonly [Name in keyof Headers as string extends Name ? never : Name]?: string }
  : never;
