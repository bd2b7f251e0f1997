import { methodNotAllowed } from './api-error-handlers.js';
import type { ErrorReplies } from './errors.js';
import type { Exchange, HttpReply } from './exchange.js';
import { conclude, writeReply } from './replies.js';

const methods = 'GET, HEAD, OPTIONS';

/** What is at a path. */
export interface FixedPath {
  /** What GET answers. */
  readonly answer: (exchange: Exchange) => Promise<HttpReply>;
  /** Whether machines ask for it all the time to watch the service. */
  readonly isRoutine?: boolean;
  /** What the answer to OPTIONS has beside the methods. */
  readonly optionsHeaders?: Readonly<Record<string, string>>;
}

/** By path. */
export type FixedAnswers = Readonly<Record<string, FixedPath>>;

/** Paths outside the API: without a key and without limits. */
export class FixedPaths {
  constructor(
    private readonly paths: FixedAnswers,
    private readonly errors: ErrorReplies,
  ) {}

  /** Whether the request is to one of the paths; then its answer is on the way. */
  takes(exchange: Exchange): boolean {
    const found = Object.hasOwn(this.paths, exchange.path) ? this.paths[exchange.path] : undefined;
    if (found !== undefined) void this.serve(exchange, found);
    return found !== undefined;
  }

  /** Never rejects. */
  private serve(exchange: Exchange, found: FixedPath): Promise<void> {
    exchange.isRoutine = found.isRoutine ?? false;
    return conclude(exchange, this.errors.report, this.serveOnce(exchange, found));
  }

  private async serveOnce(exchange: Exchange, found: FixedPath): Promise<void> {
    writeReply(exchange, await answer(exchange, found).catch((error: unknown) => this.errors.from(error, exchange.id)));
  }
}

async function answer(exchange: Exchange, found: FixedPath): Promise<HttpReply> {
  const { method } = exchange.request;
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: methods, ...found.optionsHeaders } };
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(methods);
  return found.answer(exchange);
}
