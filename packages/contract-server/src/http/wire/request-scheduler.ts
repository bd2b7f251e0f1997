import { AsyncResource } from 'node:async_hooks';
import type { Connection, RequestContext } from '../request-context.js';
import { collectResponses, sendCollected } from './send-response.js';

/** How long an iteration of the event loop handles requests while connections are accepted, in milliseconds. */
const handlingMsMax = 0.25;
/** How many requests of a connection wait. Beyond that, each new one has the oldest one handled immediately. */
const waitingMax = 64;
/** How many turns such an iteration has at most, also of requests that are skipped. */
const turnsMax = 64;

interface WaitingRequest {
  readonly context: RequestContext;
  /** Its asynchronous context, such as its span. */
  readonly scope: AsyncResource;
}

/**
 * Schedules the requests of a server. Each is handled when it arrives, except while connections are accepted: an
 * iteration of the event loop then handles requests for a short time; the others wait for the next ones, in which the
 * connections take turns (round robin). Node reads from every connection in an iteration, but accepts only one, so a
 * client with hundreds of connections would otherwise delay new ones, such as those of health checks, by seconds.
 */
export class RequestScheduler {
  /** The requests that wait, in the order of their turns. */
  private readonly waiting = new Map<Connection, WaitingRequest[]>();
  /** Whether `end` will be called in this iteration. */
  private hasBegun = false;
  /** When this iteration stops handling requests; `undefined` before the first one. */
  private endsAt: number | undefined;
  /** Whether this iteration has accepted a connection. */
  private isAccepting = false;
  /** Whether the iteration before has accepted one: more connections may wait to be accepted. */
  private wasAccepting = false;

  /** @param now the time in milliseconds, as that of `RequestContext.startedAt`. */
  constructor(
    private readonly handle: (context: RequestContext) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Notes that a connection was accepted. */
  accept(): void {
    this.isAccepting = true;
    if (!this.hasBegun) this.begin();
  }

  /** Handles a request that has just arrived, immediately or in its turn. */
  add(context: RequestContext): void {
    if (!this.hasBegun) this.begin();
    const requests = this.waiting.get(context.connection);
    const isNext = this.isLimited ? this.waiting.size === 0 : requests === undefined;
    if (isNext && this.takeTime(context.startedAt)) this.handle(context);
    else this.enqueue(context, requests);
  }

  private begin(): void {
    this.hasBegun = true;
    collectResponses();
    const turns = this.isLimited ? Math.min(this.waiting.size, turnsMax) : this.waiting.size;
    // Node runs promises and ticks between two immediates, so each request is handled before the next one.
    for (let turn = 0; turn < turns; turn += 1) setImmediate(() => this.takeTurn());
    setImmediate(() => this.end());
  }

  private end(): void {
    this.wasAccepting = this.isAccepting;
    this.isAccepting = false;
    this.endsAt = undefined;
    this.hasBegun = false;
    sendCollected();
    if (this.waiting.size > 0 || this.wasAccepting) this.begin();
  }

  /** Whether this iteration handles requests for `handlingMsMax` only. */
  private get isLimited(): boolean {
    return this.isAccepting || this.wasAccepting;
  }

  /** Whether there is time to handle a request. The first one begins it. */
  private takeTime(now: number): boolean {
    if (!this.isLimited) return true;
    this.endsAt ??= now + handlingMsMax;
    return now < this.endsAt;
  }

  private enqueue(context: RequestContext, requests: WaitingRequest[] = []): void {
    // `AsyncResource.bind` takes 20 µs on Node.js 20, because it deprecates a property of each function.
    requests.push({ context, scope: new AsyncResource('WaitingRequest') });
    this.waiting.set(context.connection, requests);
    const oldest = requests.length > waitingMax ? requests.shift() : undefined;
    if (oldest !== undefined) this.handleIfOpen(oldest);
  }

  private takeTurn(): void {
    const [first] = this.waiting;
    if (first === undefined || !this.takeTime(this.now())) return;
    const [connection, requests] = first;
    this.waiting.delete(connection);
    const next = requests.shift();
    if (next === undefined) return;
    // The other requests of a closed connection receive no response either.
    if (requests.length > 0 && isOpen(next.context)) this.waiting.set(connection, requests);
    this.handleIfOpen(next);
  }

  /** Handles a request unless, while it waited, its connection was closed or it was rejected for its malformed body. */
  private handleIfOpen({ context, scope }: WaitingRequest): void {
    if (isOpen(context) && context.errorCode === undefined && !context.response.headersSent)
      scope.runInAsyncScope(this.handle, undefined, context);
  }
}

function isOpen({ request }: RequestContext): boolean {
  return request.socket.writable;
}
