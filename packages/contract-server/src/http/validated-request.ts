import type { IncomingMessage } from 'node:http';
import type {
  CallersByScheme,
  ContractTypes,
  HandlerContext,
  OperationId,
  OperationRequest,
} from '@contract-server/core/types/types.js';
import type { ValidatedRequest } from '../backend/adapt-handlers.js';

const property = Symbol('validated');

/** What a handler of an operation receives, as one object. */
export type Validated<
  Contract extends ContractTypes,
  Id extends OperationId<Contract>,
  Callers = CallersByScheme,
> = OperationRequest<Contract, Id> & {
  /** The second argument of a handler. */
  readonly context: HandlerContext<Contract, Id, Callers>;
};

export function setValidated(request: IncomingMessage, validated: ValidatedRequest | undefined): void {
  Object.assign(request, { [property]: validated });
}

/**
 * Returns a function that returns what a handler would receive, in a route whose operation has the handler `'next'`:
 *
 *     const validated = validatedOf<Contract>();
 *     app.get('/books/:isbn', (request, response) => {
 *       const { path, context } = validated(request, 'getBook');
 *
 * The function throws a TypeError for a request that the router has not passed on for this operation.
 *
 * @typeParam Callers the types of callers by security scheme.
 */
export function validatedOf<Contract extends ContractTypes, Callers = CallersByScheme>() {
  return <Id extends OperationId<Contract>>(request: IncomingMessage, id: Id): Validated<Contract, Id, Callers> => {
    const { [property]: validated } = request as { readonly [property]?: ValidatedRequest };
    if (validated?.operationId === id) return validated.values as Validated<Contract, Id, Callers>;
    throw new TypeError(`The request was not validated as ${id}. Add the route after the router, with ${id}: 'next'.`);
  };
}
