import { STATUS_CODES } from 'node:http';
import type { HttpResponse } from './request-context.js';

/** What an error response says. */
export interface ErrorDescription extends Pick<HttpResponse, 'headers' | 'status'> {
  readonly code: string;
  readonly message: string;
}

/** The properties of errors by which Express and http-errors choose a response. */
interface HttpError {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  /** Whether the client may read the message. */
  readonly expose?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: unknown;
}

/**
 * Describes an error that has the status of an error response, as http-errors creates it; `undefined` for any other
 * and for the status 500.
 *
 * @param isOfRoute whether it is an error of middleware or of a route. Any other may be that of a request to another
 * service, and is described only if the client may read its message.
 */
export function describeHttpError(error: unknown, isOfRoute: boolean): ErrorDescription | undefined {
  const { status, statusCode, expose, headers, message }: HttpError = Object(error) as HttpError;
  const found = [status, statusCode].find(isErrorStatus);
  if (found === undefined) return undefined;
  const isExposed = expose === true && found < 500;
  if (!isExposed && !isOfRoute) return undefined;
  const reason = STATUS_CODES[found] ?? 'Error';
  const code = reason.toLowerCase().replace(/[^a-z]+/g, '_');
  return { status: found, code, message: isExposed ? String(message) : `${reason}.`, headers };
}

function isErrorStatus(status: unknown): status is number {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599 && status !== 500;
}
