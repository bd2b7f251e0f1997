import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux assigns ports from 32768 on to connections and to listeners on port 0; other systems, from 49152 on. */
const [portMin, portMax] = [20_000, 32_767];

/**
 * Finds a free port on the loopback interface. The system gives it to no other process, so that it remains free until
 * a server listens on it, also while the server is restarted.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(portMin, portMax + 1);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  await once(server.close(), 'close');
  return true;
}
