/** The types and the errors of the contract, for the rest of Conduit. */
import * as server from 'contract-server';
import type { Contract } from '../generated/contract.js';
import type { User } from './users/user.js';

export type { Contract };
/** With `caller` as the security handler returns it. */
export type Handlers = server.Handlers<Contract, { readonly token: User }>;
export type Schema<Name extends keyof Contract['schemas']> = server.Schema<Contract, Name>;
export type ErrorCode = server.ErrorCode<Contract>;

/** An error whose code is in the contract: any other fails to compile. */
export const ApiError = server.errorsOf<Contract>();
