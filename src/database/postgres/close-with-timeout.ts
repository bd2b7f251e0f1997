import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';

/** How long the server may take to say goodbye, in milliseconds: less than a step of a stop may take. */
const farewellMs = 400;

/**
 * Waits for connections to be ended, and cuts those whose server does not even say goodbye: nobody has to stay for it.
 */
export async function closeWithTimeout(ended: Promise<unknown>, clients: Iterable<Client>): Promise<void> {
  await Promise.race([ended, delay(farewellMs, undefined, { ref: false })]);
  for (const client of clients) client.connection.stream.destroy();
}
