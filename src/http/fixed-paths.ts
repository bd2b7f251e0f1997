import type { ErrorReplies } from './errors.js';
import type { Exchange, HttpReply } from './exchange.js';
import { unknownMethod } from './pipeline.js';
import { conclude, writeReply } from './replies.js';

const methods = 'GET, HEAD, OPTIONS';

/** What GET answers, by path. */
export type FixedAnswers = Readonly<Record<string, () => Promise<HttpReply>>>;

/** Paths outside the API, for machines that watch the service: without a key and without limits. */
export class FixedPaths {
  constructor(
    private readonly answers: FixedAnswers,
    private readonly errors: ErrorReplies,
  ) {}

  has(path: string): boolean {
    return Object.hasOwn(this.answers, path);
  }

  /** Answers a request to one of the paths. Never rejects. */
  serve(exchange: Exchange): Promise<void> {
    exchange.isRoutine = true;
    return conclude(exchange, this.errors.report, async () => {
      writeReply(exchange, await this.answer(exchange).catch((error: unknown) => this.errors.from(error, exchange.id)));
    });
  }

  private async answer({ request, path }: Exchange): Promise<HttpReply> {
    const answer = this.answers[path];
    if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: methods } };
    if (answer === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) throw unknownMethod(methods);
    return answer();
  }
}
