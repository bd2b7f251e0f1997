import type { ApiError } from '@contract-server/core/lib/errors.js';
import type { Request, RequestHandler } from 'express';
import { type ClientRateLimitInfo, MemoryStore, type Options, rateLimit } from 'express-rate-limit';
import type { WindowStatus } from '../../rate-limits/decide.js';

/** What express-rate-limit has counted for the key of a request. */
export interface Counted {
  readonly used?: number | undefined;
  readonly resetTime?: Date | undefined;
}

/** The options of express-rate-limit that its users here set. */
type LimitOptions = Pick<Options, 'limit' | 'windowMs' | 'keyGenerator'> & Partial<Pick<Options, 'store' | 'skip'>>;

/**
 * Counts requests with express-rate-limit, in a fixed window for each key, in the memory of this node.
 *
 * @param decide receives what was counted, or nothing for a skipped request. It returns the error of a rejected one.
 */
export function limitRequests(
  options: LimitOptions,
  decide: (request: Request, counted: Counted) => ApiError | undefined,
): RequestHandler {
  const count = rateLimit({
    store: new WindowStore(),
    // `sendResponse` writes the headers, which are the same as those of a quota.
    legacyHeaders: false,
    standardHeaders: false,
    handler: (_request, _response, next) => next(),
    ...options,
  });
  return (request, response, next) =>
    count(request, response, (error?: unknown) => {
      const { rateLimit: counted = {} } = request as Request & { readonly rateLimit?: Counted };
      next(error ?? decide(request, counted));
    });
}

/**
 * The store of express-rate-limit in memory. `MemoryStore` returns the record in which it counts, which changes before
 * the caller reads it, so that each of ten concurrent requests would be the tenth. Here, requests are counted one after
 * the other, and each gets a copy.
 */
export class WindowStore extends MemoryStore {
  private latest: Promise<unknown> = Promise.resolve();

  override increment(key: string): Promise<ClientRateLimitInfo> {
    const counted = this.latest.then(async () => ({ ...(await super.increment(key)) }));
    this.latest = counted;
    return counted;
  }
}

/** The state of a window in which requests were counted. */
export function windowStatusOf<Name extends string>(
  window: Pick<WindowStatus<Name>, 'name' | 'limit' | 'lengthMs'>,
  { used = 0, resetTime }: Counted,
  now: number,
): WindowStatus<Name> {
  const resetAt = resetTime?.getTime() ?? now + window.lengthMs;
  return { ...window, remaining: Math.max(0, window.limit - used), resetAt };
}
