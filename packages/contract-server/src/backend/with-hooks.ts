import type { HandlerResponse } from '@contract-server/core/contract/responses.js';
import { memberOf } from '@contract-server/core/json/object-members.js';
import type { AnyHooks } from '@contract-server/core/types/hooks.js';

type Handler<Request, Context> = (request: Request, context: Context) => Promise<HandlerResponse | undefined>;
type After<Request, Context> = (
  request: Request,
  response: HandlerResponse,
  context: Context,
) => Promise<HandlerResponse | undefined>;

/**
 * The handler of an operation with the hooks that run before and after it; the handler itself if there are none. A
 * handler that returns `undefined` has passed the request on, so no hook runs after it.
 */
export function withHooks<Request, Context>(
  id: string,
  handle: Handler<Request, Context>,
  { before = {}, after = {} }: AnyHooks,
): Handler<Request, Context> {
  const first = hooksOf(before, '*', id) as readonly Handler<Request, Context>[];
  const last = hooksOf(after, id, '*') as readonly After<Request, Context>[];
  if (first.length === 0 && last.length === 0) return handle;
  const respond = async (request: Request, context: Context) => {
    for (const hook of first) {
      const response = await hook(request, context);
      if (response !== undefined) return response;
    }
    return handle(request, context);
  };
  return async (request, context) => {
    let response = await respond(request, context);
    for (const hook of response === undefined ? [] : last)
      response = (await hook(request, response as HandlerResponse, context)) ?? response;
    return response;
  };
}

function hooksOf(hooks: object, ...names: readonly string[]): readonly unknown[] {
  return names.map((name) => memberOf(hooks, name)).filter((hook) => hook !== undefined);
}
