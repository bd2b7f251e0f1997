import { type RequestHandler, Router } from 'express';
import { methodNotAllowed } from './api-error-handlers.js';
import { type HttpResponse, type RequestContext, requestContextOf } from './request-context.js';
import { sendResponse } from './send-response.js';

const methods = 'GET, HEAD, OPTIONS';

/** What is at a path outside the API. */
export interface Resource {
  /** The response to GET and HEAD. */
  readonly get: (context: RequestContext) => Promise<HttpResponse>;
  /** Whether monitoring requests it all the time. */
  readonly isRoutine?: boolean;
  /** Headers of the response to OPTIONS besides `Allow`. */
  readonly optionsHeaders?: Readonly<Record<string, string>>;
}

/** By path. */
export type Resources = Readonly<Record<string, Resource>>;

/**
 * Routes outside the API: without an API key and without a quota.
 *
 * @param limit runs before each GET and HEAD.
 */
export function createRoutes(resources: Resources, ...limit: readonly RequestHandler[]): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, { get, isRoutine = false, optionsHeaders }] of Object.entries(resources)) {
    const send: RequestHandler = async (request) => {
      const context = requestContextOf(request);
      context.isMonitoring = isRoutine;
      sendResponse(context, await get(context));
    };
    router
      .route(path)
      .get(...limit, send)
      .options((request) =>
        sendResponse(requestContextOf(request), { status: 204, headers: { Allow: methods, ...optionsHeaders } }),
      )
      .all(() => {
        throw methodNotAllowed(methods);
      });
  }
  return router;
}
