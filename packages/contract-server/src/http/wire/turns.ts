import { AsyncResource } from 'node:async_hooks';
import type { Connection, RequestContext } from '../request-context.js';
import { collectResponses, sendCollected } from './send-response.js';

/** How long an iteration of the event loop handles requests while connections are accepted, in milliseconds. */
const handlingMsMax = 1;
/** How many requests of a connection wait; more are handled at once, so that a client cannot fill the memory. */
const waitingMax = 64;
/** How many of the requests that wait can be handled in the time above. */
const turnsMax = 64;

interface WaitingRequest {
  readonly context: RequestContext;
  readonly run: () => void;
}

/**
 * Schedules the requests of a server. Each is handled when it arrives, except while connections are accepted: an
 * iteration of the event loop then handles requests for 1 ms, and the others wait for the next one, in which each
 * connection has one turn. Node reads from every connection in an iteration, but accepts only one, so a client with
 * hundreds of connections would otherwise delay new ones, such as those of health checks, by seconds.
 */
export class Turns {
  /** The requests that wait, in the order of their turns. */
  private readonly waiting = new Map<Connection, WaitingRequest[]>();
  /** Whether `end` will be called in this iteration. */
  private hasBegun = false;
  /** When the iteration stops handling requests; `undefined` before the first one. */
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
  }

  /** Handles a request that has just arrived, at once or in its turn. */
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
    if (this.waiting.size > 0) this.begin();
  }

  /** Whether this iteration handles requests for 1 ms only. */
  private get isLimited(): boolean {
    return this.isAccepting || this.wasAccepting;
  }

  /** Whether there is time to handle a request. The first one begins the 1 ms. */
  private takeTime(now: number): boolean {
    if (!this.isLimited) return true;
    this.endsAt ??= now + handlingMsMax;
    return now < this.endsAt;
  }

  private enqueue(context: RequestContext, requests: WaitingRequest[] = []): void {
    // It runs in the asynchronous context of the request, such as its span.
    requests.push({ context, run: AsyncResource.bind(() => this.handle(context)) });
    this.waiting.set(context.connection, requests);
    if (requests.length < waitingMax) return;
    this.waiting.delete(context.connection);
    for (const request of requests) runIfOpen(request);
  }

  private takeTurn(): void {
    const [first] = this.waiting;
    if (first === undefined || !this.takeTime(this.now())) return;
    const [connection, requests] = first;
    this.waiting.delete(connection);
    const next = requests.shift();
    if (requests.length > 0) this.waiting.set(connection, requests);
    if (next !== undefined) runIfOpen(next);
  }
}

/** Handles a request unless, while it waited, its connection was closed or it was rejected for its malformed body. */
function runIfOpen({ context: { request, response, errorCode }, run }: WaitingRequest): void {
  if (request.socket.writable && errorCode === undefined && !response.headersSent) run();
}
