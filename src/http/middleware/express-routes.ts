import type { RequestHandler } from 'express';
import { expectsContinue } from '../protocol-checks.js';
import { requestIdHeader, requireContext } from '../request-context.js';

/** Sets the headers of every response, for middleware and routes of the service, whose responses Express sends. */
export const standardHeaders: RequestHandler = (request, response, next) => {
  const context = requireContext(request);
  const { id, connection } = context;
  response.set({ [requestIdHeader]: id, 'X-Content-Type-Options': 'nosniff' });
  // No later request on the connection is served.
  if (connection.isClosing) response.set('Connection', 'close');
  // If the server began to stop after the headers were sent.
  response.once('finish', () => {
    if (context.closesConnection && connection.latest === context) request.socket.end();
  });
  next();
};

/** Prepares a request for routes of the service: requests the body from a client that waits for 100 Continue. */
export const prepareRoute: RequestHandler = (request, response, next) => {
  const context = requireContext(request);
  context.isRoute = true;
  if (context.closesConnection) response.set('Connection', 'close');
  if (expectsContinue(request)) response.writeContinue();
  next();
};
