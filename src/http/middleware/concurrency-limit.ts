import type { RequestHandler } from 'express';
import { serverBusy } from '../../openapi/api-error.js';
import { type Exchange, exchangeOf } from '../request-context.js';

/**
 * Limits how many requests are worked on at a time. Beyond the limit, an immediate 503 is better than letting all of
 * them wait longer.
 */
export class ConcurrencyLimit {
  private used = 0;

  constructor(private readonly max: number) {}

  readonly middleware: RequestHandler = (request, _response, next) => {
    this.enter(exchangeOf(request));
    next();
  };

  /** @throws Refusal `server_busy` if the limit is reached. */
  enter(exchange: Exchange): void {
    if (this.used >= this.max) throw serverBusy();
    this.used += 1;
    exchange.concurrency = this;
  }

  /** A request leaves when its response is ready, and while its body arrives: its client may be slow. */
  leave(exchange: Exchange): void {
    if (exchange.concurrency === undefined) return;
    this.used -= 1;
    exchange.concurrency = undefined;
  }
}
