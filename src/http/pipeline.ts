import type { IncomingMessage } from 'node:http';
import type { Request } from 'openapi-backend';
import type { ApiRequest, CompiledOperation, Match } from '../contract/compiled-router.js';
import type { Api, ApiCall } from '../contract/create-api.js';
import { isRemoved } from '../contract/deprecation.js';
import type { Authenticator, Identity } from '../domain/authenticator.js';
import type { Clock } from '../domain/clock.js';
import type { Subject } from '../domain/limit-store.js';
import type { Admission } from '../domain/limits.js';
import type { Capacity } from './capacity.js';
import { clientAddressOf } from './client-address.js';
import type { DeprecationHeaders } from './deprecation-headers.js';
import type { ErrorReplies } from './errors.js';
import type { Exchange, HttpReply } from './exchange.js';
import { limitHeaders, requireAdmitted } from './limit-headers.js';
import type { RateLimiter } from './rate-limiter.js';
import { conclude, writeReply } from './replies.js';
import { ClientGone, type JsonBody, noBody, readJsonBody } from './request-body.js';

export interface PipelineParts {
  readonly api: Api;
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
    const route = this.parts.api.router.match(exchange.request.method ?? '', exchange.path);
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

  private async answer(exchange: Exchange, route: Match): Promise<HttpReply> {
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
      const authentication = typeof identity === 'string' ? identity : 'valid key';
      const body = this.bodyOf(route.operation, authentication, request);
      const { value, bytes } = body instanceof Promise ? await body : body;
      return await this.handle(exchange, route, authentication, { budgetId: subject.id, bodyBytes: bytes }, value);
    } finally {
      capacity.leave();
    }
  }

  /** The methods of a path for OPTIONS, else 404 or 405. */
  private answerWithoutOperation(exchange: Exchange, route: Match): Promise<HttpReply> | HttpReply {
    return (
      methodsReply(exchange, route) ?? this.handle(exchange, route, 'missing key', { budgetId: '', bodyBytes: noBody.bytes })
    );
  }

  private handle(
    { request, path, query }: Exchange,
    match: Match,
    authentication: ApiCall['authentication'],
    origin: ApiCall['origin'],
    body?: unknown,
  ): Promise<HttpReply> {
    const { method = '', headers } = request;
    const apiRequest: ApiRequest = { method, path, query, headers: headers as Request['headers'], body, match };
    const call: ApiCall = { match, authentication, origin };
    return this.parts.api.handleRequest(apiRequest, call) as Promise<HttpReply>;
  }

  /** What the request is counted against: the budget of its key or, without a valid one, the address that it comes from. */
  private subjectOf(identity: Identity, request: IncomingMessage): Subject {
    const { limiter } = this.parts;
    return typeof identity === 'string' ? limiter.addressOf(clientAddressOf(request)) : limiter.budgetOf(identity);
  }

  /** The body of a request that its operation is going to handle: nothing is read from one that it will not. */
  private bodyOf(
    { requiresKey, deprecation, body: rule }: CompiledOperation,
    authentication: ApiCall['authentication'],
    request: IncomingMessage,
  ): Promise<JsonBody> | JsonBody {
    const isRejected = (requiresKey && authentication !== 'valid key') || isRemoved(deprecation, this.parts.clock());
    if (rule === undefined || isRejected) return noBody;
    const body = readJsonBody(request, rule);
    return body instanceof Promise ? this.parts.capacity.leaveFor(body) : body;
  }

  /** Asked only where it is needed, for to wait costs a turn. A preflight, a request too many and one whose key cannot be looked up are not counted; the address is told where it stands. */
  private peek({ request }: Exchange): Promise<Admission> {
    const { limiter } = this.parts;
    return limiter.peek(limiter.addressOf(clientAddressOf(request)));
  }

  /** Adds what every answer carries: the limits, and what is announced for the operation. */
  private write(exchange: Exchange, route: Match, reply: HttpReply, admission: Admission): void {
    writeReply(exchange, reply, limitHeaders(admission), this.parts.deprecations.of(route));
  }
}

/** The methods of a path for whoever asks with OPTIONS; `undefined` for every other request. */
export function methodsReply({ request }: Exchange, route: Match): HttpReply | undefined {
  const isQuestion = route.kind === 'method not allowed' && request.method === 'OPTIONS';
  return isQuestion ? { status: 204, headers: { Allow: route.allow } } : undefined;
}
