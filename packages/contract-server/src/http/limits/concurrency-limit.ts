import { serverBusy } from '@contract-server/core/lib/errors.js';
import type { RequestHandler } from 'express';
import { type RequestContext, requireContext } from '../request-context.js';

/**
 * Limits how many requests are processed at the same time. Beyond the limit, an immediate 503 is better than a longer
 * wait for every request.
 */
export class ConcurrencyLimit {
  private used = 0;

  constructor(private readonly max: number) {}

  readonly middleware: RequestHandler = (request, _response, next) => {
    this.enter(requireContext(request));
    next();
  };

  /** @throws ApiError `server_busy` if the limit is reached. */
  enter(context: RequestContext): void {
    if (this.used >= this.max) throw serverBusy();
    this.used += 1;
    context.concurrency = this;
  }

  /** Called when the response is ready, and while the body arrives, because the client may be slow. */
  leave(context: RequestContext): void {
    if (context.concurrency === undefined) return;
    this.used -= 1;
    context.concurrency = undefined;
  }
}
