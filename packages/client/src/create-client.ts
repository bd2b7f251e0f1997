import { ClientError } from './client-error.js';
import type { ClientTypes, ContractOptions } from './contract-values.js';
import { type IsError, OperationErrors } from './operation-error.js';
import { type AnyOptions, type ClientOptions, type ClientSettings, completeOptions } from './options.js';
import { createRequest, type OperationRequest, type PathsOf } from './request.js';

/** A client of a contract. */
export interface Client<Paths extends PathsOf<Paths>, CallError extends ClientError = ClientError> {
  /** Calls any operation of the contract by its method and path. Throws a `ClientError`. */
  readonly request: OperationRequest<Paths>;
  readonly isError: IsError<Paths, CallError>;
}

/**
 * Creates a client of a contract:
 *
 *     const client = createClient<Contract>({ baseUrl, contract, credentials: { apiKey } });
 *
 * @typeParam Contract the interface `Contract` that `contract-server generate` writes.
 * @param settings what a published client of one contract has of its own.
 * @throws TypeError for an invalid option.
 */
export function createClient<
  Contract extends ClientTypes & { readonly paths: PathsOf<Contract['paths']> },
  CallError extends ClientError = ClientError,
>(
  options: ClientOptions<CallError> & ContractOptions<Contract>,
  settings: ClientSettings<CallError> = {},
): Client<Contract['paths'], CallError> {
  // The hooks receive the errors that `settings.Error` creates.
  const complete = completeOptions(options as unknown as AnyOptions, settings);
  const userAgent = settings.name === undefined ? undefined : `${settings.name}/${complete.contract.version}`;
  const send = createRequest(complete, { signal: options.signal, userAgent, time: settings.time });
  const errors = new OperationErrors();
  const request = (...call: Parameters<typeof send>) =>
    send(...call).catch((error: unknown) => {
      if (error instanceof ClientError) errors.add(error as ClientError, `${call[0]} ${call[1]}`);
      throw error;
    });
  const isError = (error: unknown, method: string, path: string) => errors.has(error, `${method} ${path}`);
  // Their types are those of the contract.
  return { request, isError } as unknown as Client<Contract['paths'], CallError>;
}
