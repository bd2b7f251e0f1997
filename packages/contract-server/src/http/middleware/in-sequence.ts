import { toError } from '@contract-server/core/lib/errors.js';
import type { ErrorRequestHandler, NextFunction, RequestHandler } from 'express';

/**
 * Composes the steps of an API into one handler, which runs them as a route of Express runs its handlers: a step
 * continues with `next()`; `next(error)`, an exception or a rejected promise leads to the error handlers; and
 * `next('router')` leaves the sequence for what follows it in the application. A layer of Express for each step takes
 * several times as long.
 */
export function inSequence(
  steps: readonly RequestHandler[],
  errorHandlers: readonly ErrorRequestHandler[],
): RequestHandler {
  return (request, response, done) => {
    let index = 0;
    let errorIndex = 0;
    const next: NextFunction = (error?: unknown) => {
      if (error !== undefined && error !== null) {
        if (error === 'router') done();
        else fail(error);
        return;
      }
      const step = steps[index];
      index += 1;
      if (step === undefined) {
        done();
        return;
      }
      try {
        const returned: unknown = step(request, response, next);
        if (returned instanceof Promise) returned.catch(rejected);
      } catch (thrown) {
        fail(toError(thrown));
      }
    };
    const rejected = (reason: unknown) => fail(toError(reason));
    const fail = (error: unknown): void => {
      const handle = errorHandlers[errorIndex];
      errorIndex += 1;
      if (handle === undefined) {
        done(error);
        return;
      }
      try {
        const returned: unknown = handle(error, request, response, fail);
        if (returned instanceof Promise) returned.catch(rejected);
      } catch (thrown) {
        fail(toError(thrown));
      }
    };
    next();
  };
}
