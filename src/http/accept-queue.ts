import type { Server } from 'node:http';
import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';

/** How long a server that stops accepts connections, in milliseconds: at least, for those being established; and at most. */
const acceptMs = 50;
const acceptMsMax = 2000;

/**
 * Accepts the connections that wait in the accept queue of a server. Closing the listener resets them, with requests that their clients
 * have sent already.
 *
 * Resolves in the check phase of the first event-loop iteration that has accepted no connection: Node accepts from a queue that is not empty
 * in each iteration, but no more than one connection (libuv 1.45 and later). A listener that is closed right then resets nothing but what
 * has arrived within that iteration. Resolves after 2 s in any case, because connections may never cease to arrive.
 */
export async function emptyAcceptQueue(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => (accepted += 1);
  // A connection beyond `maxConnections` is dropped.
  server.on('connection', count).on('drop', count);
  const deadline = performance.now() + acceptMsMax;
  await delay(acceptMs);
  let acceptedBefore: number;
  do {
    acceptedBefore = accepted;
    await nextIteration();
  } while (accepted > acceptedBefore && performance.now() < deadline);
  server.off('connection', count).off('drop', count);
}
