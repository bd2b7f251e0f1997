import type { ClientError } from './client-error.js';
import type { Method, PathOf, PathsOf } from './request.js';
import type { ResponseBody } from './response-body.js';
import type { StatusFrom } from './statuses.js';

/**
 * Whether an error is a response of an operation: then its `status` selects the type of its `body`.
 *
 *     if (client.isError(error, 'get', '/books/{isbn}') && error.status === 404) console.log(error.body.detail);
 *
 * It is not for other errors, such as `network_failure`, and the pages of proxies (`unexpected_response`).
 */
export type IsError<Paths extends PathsOf<Paths>, CallError> = <M extends Method, Path extends PathOf<Paths, M>>(
  error: unknown,
  method: M,
  path: Path,
) => error is CallError & OperationError<Paths[Path][M]>;

type OperationError<Operation> = Operation extends { readonly responses: infer Responses }
  ?
      | {
          [Key in keyof Responses]: ErrorWith<StatusesOf<Key, keyof Responses>, ResponseBody<Responses[Key]>>;
        }[keyof Responses]
      | ErrorWith<UndeclaredStatus<keyof Responses>, unknown>
  : never;

type ErrorWith<Status, Body> = [Status] extends [never]
  ? never
  : { readonly status: Status; readonly body: Body; readonly response: Response };

type ErrorStatus = StatusFrom<4 | 5>;

/** A declared status of an error; those of a range, or of `default`, that are not declared otherwise. */
type StatusesOf<Key, Declared> = Key extends number
  ? Extract<Key, ErrorStatus>
  : Key extends `${infer First extends 4 | 5}XX`
    ? Exclude<StatusFrom<First>, Declared>
    : Key extends 'default'
      ? Exclude<ErrorStatus, Declared | InRange<Declared>>
      : never;

type InRange<Declared> = Declared extends `${infer First extends 4 | 5}XX` ? StatusFrom<First> : never;

type UndeclaredStatus<Declared> = 'default' extends Declared
  ? never
  : Exclude<ErrorStatus, Declared | InRange<Declared>>;

/** Remembers the operations of errors. */
export class OperationErrors {
  private readonly operations = new WeakMap<ClientError, string>();

  add(error: ClientError, operation: string): void {
    this.operations.set(error, operation);
  }

  /** Whether an error is a response of the operation. */
  has(error: unknown, operation: string): boolean {
    if (this.operations.get(error as ClientError) !== operation) return false;
    const { code, response } = error as ClientError;
    return response !== undefined && code !== 'unexpected_response';
  }
}
