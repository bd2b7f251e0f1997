/** The types and the errors of the contract, for the rest of the pet store. */
import * as server from 'contract-server';
import type { Contract } from '../generated/contract.js';

export type { Contract };
export type Handlers = server.Handlers<Contract>;
export type Handler<Id extends OperationId> = server.Handler<Contract, Id>;
export type HandlerContext<Id extends OperationId> = server.HandlerContext<Contract, Id>;
export type OperationRequest<Id extends OperationId> = server.OperationRequest<Contract, Id>;
export type OperationId = server.OperationId<Contract>;
export type Schema<Name extends keyof Contract['schemas']> = server.Schema<Contract, Name>;

/** An error whose code is in the contract: any other fails to compile. */
export const ApiError = server.errorsOf<Contract>();
