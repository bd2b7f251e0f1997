import type { ContractBackend } from '../contract/backend.js';
import type { MockAnswers } from '../contract/mock-answers.js';
import type { BoundOperation, Route } from '../contract/operation-table.js';
import { bearerTokenOf } from '../domain/authenticator.js';
import type { ErrorReplies } from './errors.js';
import type { Exchange, HttpReply } from './exchange.js';
import { chooseAnswer } from './mock-choice.js';
import { methodsReply, unauthorized } from './pipeline.js';
import { conclude, writeReply } from './replies.js';
import { ClientGone, noBody, readJsonBody } from './request-body.js';
import { requestIdHeader } from './request-ids.js';

export interface MockPipelineParts {
  /** Its handlers are reached by valid requests alone, and answer nothing. */
  readonly backend: ContractBackend;
  readonly answers: MockAnswers;
  readonly errors: ErrorReplies;
}

/** The way of every request to the API of a mock: it is held to the contract like any other, and answered with an example of the contract. */
export class MockPipeline {
  constructor(private readonly parts: MockPipelineParts) {}

  /** Answers the request, whatever happens. Never rejects. */
  serve(exchange: Exchange): Promise<void> {
    return conclude(exchange, this.parts.errors.report, this.serveOnce(exchange));
  }

  private async serveOnce(exchange: Exchange): Promise<void> {
    const { backend, errors } = this.parts;
    const route = backend.match(exchange.request.method ?? '', exchange.path);
    exchange.route = route;
    try {
      this.write(exchange, route, await this.answer(exchange, route));
    } catch (error) {
      if (!(error instanceof ClientGone)) this.write(exchange, route, errors.from(error, exchange.id));
    }
  }

  private async answer(exchange: Exchange, route: Route): Promise<HttpReply> {
    const { backend, answers } = this.parts;
    const { request, query } = exchange;
    const methods = methodsReply(exchange, route);
    if (methods !== undefined) return methods;
    const body = route.kind === 'operation' ? await this.enter(route.operation, exchange) : undefined;
    await backend.dispatch(route, { query, headers: request.headers, body });
    // What is no operation has been refused.
    const { operation } = route as Extract<Route, { kind: 'operation' }>;
    return chooseAnswer(answers, operation.id, exchange);
  }

  /** Lets a request into an operation: it has some key, and its body is JSON and not too large. */
  private async enter({ requiresKey, body }: BoundOperation, { request }: Exchange): Promise<unknown> {
    if (requiresKey && bearerTokenOf(request.headers.authorization) === undefined) throw unauthorized('missing key');
    return (body === undefined ? noBody : await readJsonBody(request, body)).value;
  }

  /** Adds the headers that the answer must have and that nobody has set. */
  private write(exchange: Exchange, route: Route, reply: HttpReply): void {
    const id = route.kind === 'operation' ? route.operation.id : undefined;
    const { [requestIdHeader]: _own, ...headers } = { ...this.parts.answers.requiredHeaders(id, reply.status), ...reply.headers };
    writeReply(exchange, { ...reply, headers });
  }
}
