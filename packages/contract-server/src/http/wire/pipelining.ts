import type { IncomingMessage } from 'node:http';
import type { Connection, RequestContext } from '../request-context.js';

/** Maximum number of requests in progress on a connection while one of them takes long. */
const pipelinedMax = 100;

/** Whether a client has sent too many requests to wait for one that takes long. @param added more requests. */
export function hasTooMany({ pending, discarded }: Connection, added = 0): boolean {
  return pending.size + discarded + added > pipelinedMax;
}

/**
 * Calls `send` when the responses to the earlier requests on the connection have been sent. Node would keep a response,
 * too, but it stops reading from a connection for which it keeps 16 KiB, and then it does not notice that the client
 * has disconnected.
 */
export function sendInTurn(connection: Connection, request: IncomingMessage, send: () => void): void {
  if (isNext(connection, request)) send();
  else connection.waiting.set(request, send);
}

/** Resolves when the responses to the earlier requests have been sent, or the client has disconnected. */
export async function waitForTurn(context: RequestContext): Promise<void> {
  const { connection, request, concurrency } = context;
  if (isNext(connection, request)) return;
  // While it waits, it does not count as a request that is processed.
  concurrency?.leave(context);
  await new Promise<void>((resolve) => {
    connection.waiting.set(request, resolve);
    if (context.signal.aborted) resolve();
    else context.signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Sends the next response if it waits. Called when one has been sent. */
export function sendNext({ pending, waiting }: Connection): void {
  const [next] = pending;
  if (next === undefined) return;
  const send = waiting.get(next.request);
  waiting.delete(next.request);
  send?.();
}

/** Whether a response is sent at once: it is the next one, or too many wait, and Node keeps it and stops reading. */
function isNext({ pending }: Connection, request: IncomingMessage): boolean {
  const [first] = pending;
  return first === undefined || first.request === request || pending.size > pipelinedMax;
}
