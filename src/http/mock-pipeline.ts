import type { Request } from 'openapi-backend';
import type { ApiRequest, CompiledOperation, Match } from '../contract/compiled-router.js';
import type { Api, ApiCall, ErrorHandler } from '../contract/create-api.js';
import type { MockAnswers } from '../contract/mock-answers.js';
import type { OperationId } from '../contract/types.js';
import { bearerTokenOf } from '../domain/authenticator.js';
import type { ErrorReplies } from './errors.js';
import type { Exchange, HttpReply } from './exchange.js';
import { chooseAnswer } from './mock-choice.js';
import { methodsReply } from './pipeline.js';
import { conclude, writeReply } from './replies.js';
import { ClientGone, type JsonBody, noBody, readJsonBody } from './request-body.js';
import { requestIdHeader } from './request-ids.js';

export interface MockPipelineParts {
  /** Without handlers but `mockHandler`. */
  readonly api: Api;
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
    const { api, errors } = this.parts;
    const route = api.router.match(exchange.request.method ?? '', exchange.path);
    exchange.route = route;
    try {
      this.write(exchange, route, await this.answer(exchange, route));
    } catch (error) {
      if (!(error instanceof ClientGone)) this.write(exchange, route, errors.from(error, exchange.id));
    }
  }

  private async answer(exchange: Exchange, match: Match): Promise<HttpReply> {
    const { request, path, query } = exchange;
    const methods = methodsReply(exchange, match);
    if (methods !== undefined) return methods;
    const authentication = bearerTokenOf(request.headers.authorization) === undefined ? 'missing key' : 'valid key';
    const { value, bytes } = await this.bodyOf(match, authentication, exchange);
    const { method = '', headers } = request;
    const apiRequest: ApiRequest = { method, path, query, headers: headers as Request['headers'], body: value, match };
    const call: MockCall = { match, authentication, origin: { budgetId: '', bodyBytes: bytes }, exchange };
    return this.parts.api.handleRequest(apiRequest, call) as Promise<HttpReply>;
  }

  private bodyOf(match: Match, authentication: ApiCall['authentication'], { request }: Exchange): Promise<JsonBody> | JsonBody {
    const rule = match.kind === 'operation' ? ruleOf(match.operation, authentication) : undefined;
    return rule === undefined ? noBody : readJsonBody(request, rule);
  }

  /** Adds the headers that the answer must have and that nobody has set. */
  private write(exchange: Exchange, route: Match, reply: HttpReply): void {
    const id = route.kind === 'operation' ? route.operation.operationId : undefined;
    const { [requestIdHeader]: _own, ...headers } = { ...this.parts.answers.requiredHeaders(id, reply.status), ...reply.headers };
    writeReply(exchange, { ...reply, headers });
  }
}

function ruleOf({ requiresKey, body }: CompiledOperation, authentication: ApiCall['authentication']): CompiledOperation['body'] {
  return requiresKey && authentication !== 'valid key' ? undefined : body;
}

interface MockCall extends ApiCall {
  readonly exchange: Exchange;
}

/** openapi-backend's handler for operations without one, as all of a mock's are: responds with an example of the contract. */
export function mockHandler(answers: MockAnswers): ErrorHandler {
  return ({ operation }, call) => chooseAnswer(answers, operation.operationId as OperationId, (call as MockCall).exchange);
}
