import type { Server } from 'node:http';
import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';

/**
 * How long a server that stops accepts connections, in milliseconds: at least, for those being established, and at
 * most.
 */
const acceptMs = 50;
const acceptMsMax = 2000;
/**
 * How many event-loop iterations in a row without a connection mean an empty queue. In a long one, clients that have
 * their response connect again.
 */
const quietIterations = 2;

/**
 * Accepts the connections that wait in the accept queue of a server. Closing the listener resets them, with requests
 * that their clients have sent already.
 *
 * Resolves in the check phase of an event-loop iteration that has accepted no connection: Node accepts from a queue
 * that is not empty in each iteration, but no more than one connection (libuv 1.45 and later). A listener that is
 * closed right then resets nothing but what has arrived within that iteration. Resolves after 2 s in any case, because
 * connections may never cease to arrive.
 */
export async function emptyAcceptQueue(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => (accepted += 1);
  // A connection beyond `maxConnections` is dropped.
  server.on('connection', count).on('drop', count);
  const deadline = performance.now() + acceptMsMax;
  await delay(acceptMs);
  for (let quiet = 0; quiet < quietIterations && performance.now() < deadline; ) {
    const acceptedBefore = accepted;
    await nextIteration();
    quiet = accepted > acceptedBefore ? 0 : quiet + 1;
  }
  server.off('connection', count).off('drop', count);
}
