import type { IncomingMessage } from 'node:http';
import type { ErrorObject } from 'ajv';
import type { ContractBackend, FailureHandlers } from '../contract/backend.js';
import { isRemoved } from '../contract/deprecation.js';
import type { BoundOperation, Route } from '../contract/operation-table.js';
import { describeFaults } from '../contract/request-faults.js';
import type { Origin } from '../contract/types.js';
import type { Authenticator, Identity } from '../domain/authenticator.js';
import type { Clock } from '../domain/clock.js';
import type { Subject } from '../domain/limit-store.js';
import type { Admission } from '../domain/limits.js';
import { Refusal } from '../domain/refusal.js';
import type { Capacity } from './capacity.js';
import { clientAddressOf } from './client-address.js';
import type { DeprecationHeaders } from './deprecation-headers.js';
import type { ErrorReplies } from './errors.js';
import type { Exchange, HttpReply } from './exchange.js';
import { limitHeaders, requireAdmitted } from './limit-headers.js';
import { contractPath } from './links.js';
import type { RateLimiter } from './rate-limiter.js';
import { conclude, writeReply } from './replies.js';
import { ClientGone, type JsonBody, noBody, readJsonBody } from './request-body.js';

export interface PipelineParts {
  readonly backend: ContractBackend;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly errors: ErrorReplies;
  readonly deprecations: DeprecationHeaders;
  readonly capacity: Capacity;
  readonly clock: Clock;
}

/** The way of every request to the API: down once, up once. */
export class Pipeline {
  constructor(private readonly parts: PipelineParts) {}

  /** Answers the request, whatever happens. Never rejects. */
  serve(exchange: Exchange): Promise<void> {
    return conclude(exchange, this.parts.errors.report, this.serveOnce(exchange));
  }

  private async serveOnce(exchange: Exchange): Promise<void> {
    const route = this.parts.backend.match(exchange.request.method ?? '', exchange.path);
    exchange.route = route;
    try {
      const reply = await this.answer(exchange, route);
      this.write(exchange, route, reply, exchange.admission ?? (await this.peek(exchange)));
    } catch (error) {
      if (error instanceof ClientGone) return;
      const reply = this.parts.errors.from(error, exchange.id);
      this.write(exchange, route, reply, exchange.admission ?? (await this.peek(exchange)));
    }
  }

  private async answer(exchange: Exchange, route: Route): Promise<HttpReply> {
    const { authenticator, capacity, limiter } = this.parts;
    const { request, response } = exchange;
    capacity.enter();
    try {
      if (exchange.isPreflight && route.kind !== 'operation') return await this.answerWithoutOperation(exchange, route);
      const identified = authenticator.identify(request.headers.authorization);
      const identity = identified instanceof Promise ? await identified : identified;
      if (typeof identity !== 'string') exchange.keyId = identity.id;
      const subject = this.subjectOf(identity, request);
      exchange.admission = await limiter.admit(subject, response);
      requireAdmitted(exchange.admission);
      if (route.kind !== 'operation') return await this.answerWithoutOperation(exchange, route);
      const body = this.enter(route.operation, identity, request);
      const { value, bytes } = body instanceof Promise ? await body : body;
      return await this.dispatch(exchange, route, value, { budgetId: subject.id, bodyBytes: bytes });
    } finally {
      capacity.leave();
    }
  }

  /** The methods of a path for OPTIONS, else 404 or 405. */
  private answerWithoutOperation(exchange: Exchange, route: Route): Promise<HttpReply> | HttpReply {
    return methodsReply(exchange, route) ?? this.dispatch(exchange, route);
  }

  private dispatch({ request, query }: Exchange, route: Route, body?: unknown, origin?: Origin): Promise<HttpReply> | HttpReply {
    const reply = this.parts.backend.dispatch(route, { query, headers: request.headers, body }, origin);
    return reply as Promise<HttpReply> | HttpReply;
  }

  /** What the request is counted against: the budget of its key or, without a valid one, the address that it comes from. */
  private subjectOf(identity: Identity, request: IncomingMessage): Subject {
    const { limiter } = this.parts;
    return typeof identity === 'string' ? limiter.addressOf(clientAddressOf(request)) : limiter.budgetOf(identity);
  }

  /** Lets a request into an operation: it has a key, the operation is still there, the body is JSON and not too large. */
  private enter(operation: BoundOperation, identity: Identity, request: IncomingMessage): Promise<JsonBody> | JsonBody {
    if (operation.requiresKey && typeof identity === 'string') throw unauthorized(identity);
    if (isRemoved(operation.deprecation, this.parts.clock())) throw removed(operation);
    if (operation.body === undefined) return noBody;
    const body = readJsonBody(request, operation.body);
    return body instanceof Promise ? this.parts.capacity.leaveFor(body) : body;
  }

  /** Asked only where it is needed, for to wait costs a turn. A preflight, a request too many and one whose key cannot be looked up are not counted; the address is told where it stands. */
  private peek({ request }: Exchange): Promise<Admission> {
    const { limiter } = this.parts;
    return limiter.peek(limiter.addressOf(clientAddressOf(request)));
  }

  /** Adds what every answer carries: the limits, and what is announced for the operation. */
  private write(exchange: Exchange, route: Route, reply: HttpReply, admission: Admission): void {
    writeReply(exchange, reply, limitHeaders(admission), this.parts.deprecations.of(route));
  }
}

/** The methods of a path for whoever asks with OPTIONS; `undefined` for every other request. */
export function methodsReply({ request }: Exchange, route: Route): HttpReply | undefined {
  const isQuestion = route.kind === 'unknown method' && request.method === 'OPTIONS';
  return isQuestion ? { status: 204, headers: { Allow: route.allow } } : undefined;
}

/** What openapi-backend's failure handlers answer here: each throws the Refusal that the error replies are made of. */
export const failures: FailureHandlers = {
  unknownPath: () => refuse(unknownPath()),
  unknownMethod: (allow) => refuse(unknownMethod(allow)),
  unauthorized: () => refuse(unauthorized('missing key')),
  malformedUrl: () => refuse(new Refusal('malformed_url', 'The address has a percent escape that cannot be decoded.')),
  invalidRequest: (errors: readonly ErrorObject[]) => refuse(new Refusal('invalid_request', describeFaults(errors))),
};

export function unknownPath(): Refusal {
  return new Refusal('route_not_found', `There is no such path. Compare it with ${contractPath}.`);
}

export function unknownMethod(allow: string): Refusal {
  return new Refusal('method_not_allowed', `This path has only the methods ${allow}.`, { headers: { Allow: allow } });
}

function refuse(refusal: Refusal): never {
  throw refusal;
}

/** RFC 6750, section 3: `error` only if a key was sent. */
export function unauthorized(identity: Identity): Refusal {
  const challenge = 'Bearer realm="petstore"';
  return identity === 'missing key'
    ? new Refusal('missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', {
        headers: { 'WWW-Authenticate': challenge },
      })
    : new Refusal(
        'invalid_api_key',
        'The API key is not valid here. Check that it is complete and meant for this environment, or ask your operator for one.',
        { headers: { 'WWW-Authenticate': `${challenge}, error="invalid_token"` } },
      );
}

function removed({ id, deprecation }: BoundOperation): Refusal {
  const day = new Date(deprecation?.sunsetAt ?? 0).toISOString().slice(0, 10);
  return new Refusal('operation_removed', `${id} was removed on ${day}. Use ${String(deprecation?.successor)} instead.`);
}
