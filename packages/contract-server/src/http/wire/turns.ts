import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../../lib/clock.js';
import type { Connection, RequestContext } from '../request-context.js';
import { collectResponses, sendCollected } from './send-response.js';

/**
 * How long requests are handled in an iteration of the event loop while connections are accepted, in milliseconds.
 * There is no limit otherwise, because a request takes less time among many others.
 */
const acceptingMs = 1;

/** A request that waits for its turn. */
interface Waiting {
  readonly context: RequestContext;
  readonly handle: () => void;
}

/**
 * Handles the requests of a server: in each iteration of the event loop at most one of a connection, when it arrives
 * or, behind an earlier one, in its turn. Node reads from every connection in an iteration, but accepts only one. So
 * while connections are accepted, requests are handled for 1 ms only, and the others wait for the next iteration.
 * Otherwise, a client with hundreds of connections would delay new ones, such as those of health checks, by seconds.
 */
export class Turns {
  /** The requests that wait, in the order of their turns. */
  private readonly waiting = new Map<Connection, Waiting[]>();
  /** Whether an iteration has begun in which requests are handled. */
  private hasBegun = false;
  /** When requests have been handled long enough in it; `undefined` if it is not limited, or none has been handled. */
  private endsAt: number | undefined;
  /** Whether a connection was accepted in it. */
  private isAccepting = false;
  /** The same for the iteration before: behind that connection, others may wait. */
  private wasAccepting = false;

  /** @param now the time in milliseconds, as that of `RequestContext.startedAt`. */
  constructor(
    private readonly handle: (context: RequestContext) => void,
    private readonly now: Clock = () => performance.now(),
  ) {}

  /** Must be called for each connection that is accepted. */
  accept(): void {
    this.isAccepting = true;
  }

  /** Handles a request that has just arrived, at once or in its turn. */
  add(context: RequestContext): void {
    const { connection, startedAt } = context;
    if (!this.hasBegun) this.begin();
    const isNext = !this.isLimited || (this.waiting.size === 0 && this.hasTime(startedAt));
    if (isNext && connection.pending.size === 1) this.handle(context);
    else this.wait(context);
  }

  private begin(): void {
    this.hasBegun = true;
    collectResponses();
    // Node runs promises and ticks between two of them, so each request is handled before the next one.
    for (let turns = this.waiting.size; turns > 0; turns -= 1) setImmediate(() => this.takeTurn());
    setImmediate(() => this.end());
  }

  private end(): void {
    sendCollected();
    this.wasAccepting = this.isAccepting;
    this.isAccepting = false;
    this.endsAt = undefined;
    this.hasBegun = false;
    if (this.waiting.size > 0) this.begin();
  }

  /** Whether requests are handled for 1 ms only. */
  private get isLimited(): boolean {
    return this.isAccepting || this.wasAccepting;
  }

  private hasTime(now: number): boolean {
    this.endsAt ??= now + acceptingMs;
    return now < this.endsAt;
  }

  private wait(context: RequestContext): void {
    const { connection, request } = context;
    const requests = this.waiting.get(connection) ?? [];
    this.waiting.set(connection, requests);
    // In the asynchronous context of the request, such as its span.
    requests.push({ context, handle: AsyncResource.bind(() => this.handle(context)) });
    // Pipelined requests must not fill the memory.
    if (requests.length === 2) request.socket.pause();
  }

  /** Handles the next request that waits, if there is time. */
  private takeTurn(): void {
    const [first] = this.waiting;
    if (first === undefined || (this.isLimited && !this.hasTime(this.now()))) return;
    const [connection, requests] = first;
    const next = requests.shift();
    this.waiting.delete(connection);
    if (requests.length > 0) this.waiting.set(connection, requests);
    if (requests.length === 1) next?.context.request.socket.resume();
    // Meanwhile, the connection may have been closed, or the request rejected for its malformed body.
    if (next?.context.request.socket.destroyed === false && !next.context.response.headersSent) next.handle();
  }
}
