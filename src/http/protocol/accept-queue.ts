import type { Server } from 'node:http';
import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';

/** Minimum and maximum time for which a server that shuts down accepts connections, in milliseconds. */
const acceptMsMin = 50;
const acceptMsMax = 2000;
/** Number of consecutive event-loop iterations without a new connection that mean that the queue is empty. */
const quietIterations = 2;

/**
 * Accepts the connections in the accept queue of a server. Closing the listener would reset them, with requests that
 * their clients have already sent. It resolves after 2 s in any case, because new connections may keep arriving.
 *
 * Undocumented in Node: it accepts one connection in each event-loop iteration while its queue is not empty (libuv 1.45
 * and later). There is no public API that reports the length of the queue. Test: accept-queue.test.ts.
 */
export async function emptyAcceptQueue(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => (accepted += 1);
  // `drop` is emitted for a rejected connection.
  server.on('connection', count).on('drop', count);
  const deadline = performance.now() + acceptMsMax;
  await delay(acceptMsMin);
  for (let quiet = 0; quiet < quietIterations && performance.now() < deadline; ) {
    const acceptedBefore = accepted;
    await nextIteration();
    quiet = accepted > acceptedBefore ? 0 : quiet + 1;
  }
  server.off('connection', count).off('drop', count);
}
