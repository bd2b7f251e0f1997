import type { IncomingMessage } from 'node:http';
import type { Deployment } from '@contract-server/core/contract/deployment.js';
import type { FileLocation } from '@contract-server/core/load/load-contract.js';
import type { Caller } from '@contract-server/core/types/types.js';
import type { ErrorResponseOptions } from '../http/errors/error-responses.js';

/** How the API of a service or a router behaves. */
export interface ApiBehaviour extends Deployment {
  /**
   * An OpenAPI Overlay 1.0 that changes the contract, for a contract that you do not edit: a file URL, or a path
   * relative to the working directory.
   */
  readonly overlay?: FileLocation | undefined;
  /**
   * Whether what is invalid in the contract but has an evident meaning is accepted, with a warning of `generate`.
   * Default: false.
   */
  readonly lenient?: boolean | undefined;
  /** Whether invalid credentials are a 401 where an operation needs none. Default: the request is anonymous. */
  readonly rejectInvalidCredentials?: boolean | undefined;
  /** How errors become responses. */
  readonly errors?: ErrorResponseOptions | undefined;
  /**
   * Whether each response is validated before it is sent. One that violates the contract becomes a 500, and the log
   * describes the violation. So does an error of http-errors whose status the operation does not declare. Default:
   * false or, for a service, the setting `VALIDATE_RESPONSES`.
   */
  readonly validateResponses?: boolean | undefined;
}

/** What a security handler of a router receives besides the credentials. */
export interface RouterSecurityContext {
  readonly request: IncomingMessage;
}

/**
 * Identifies the caller by the credentials of a security scheme: the key, the token, the name and the password of
 * `basic`, or what follows the name of another HTTP authentication scheme. `undefined` for invalid credentials, which
 * are a 401. If it throws, an ApiError is the response, and any other error is a 500.
 */
export type SecurityHandler<
  Context = RouterSecurityContext,
  Identified extends Caller = Caller,
  Credentials = string,
> = (credentials: Credentials, context: Context) => Identified | undefined | Promise<Identified | undefined>;
