import { reasonOf, StartError } from '@contract-server/core/lib/errors.js';
import type { Client } from 'pg';

/** Timeout of an attempt to connect, and of a statement of a check, in milliseconds. */
export const tryTimeoutMs = 2000;

/** Each of these finds a shared session with a probability of at least 3/4, also if a pooler chooses it at random. */
const rounds = 5;
const mark = 'contract_server.connection';

/**
 * Requires UTF-8, because other encodings cannot store every name unchanged, and commits that are on disk.
 *
 * @throws StartError
 */
export async function requireSettings(client: Client, location: string): Promise<void> {
  const [encoding, commit] = await readRow(
    client,
    `SELECT current_setting('server_encoding'), current_setting('synchronous_commit')`,
  );
  if (encoding !== 'UTF8')
    throw new StartError(`${location} is encoded in ${String(encoding)}. Create it with ENCODING 'UTF8'.`);
  if (commit === 'off')
    throw new StartError(`${location} has synchronous_commit = off, which loses acknowledged writes. Set it to on.`);
}

/**
 * Requires that a connection has a session of PostgreSQL for itself. A pooler in transaction mode runs each transaction
 * in any session, so that prepared statements are lost, and timeouts apply to other clients.
 *
 * @param connectAgain opens a second connection, which only poolers need.
 * @throws StartError
 */
export async function requireSession(
  client: Client,
  connectAgain: () => Promise<Client>,
  location: string,
): Promise<void> {
  if (await isDirect(client)) return;
  const other = await connectAgain().catch((error: unknown) => {
    const message = `The pooler of ${location} has no second connection for the service: ${reasonOf(error)}.`;
    throw new StartError(`${message} Raise its pool size. See DATABASE_URL.`, { cause: error });
  });
  try {
    for (let round = 0; round < rounds; round += 1) {
      if (await haveOwnSessions(client, other)) continue;
      throw new StartError(
        `${location} is behind a pooler in transaction mode, which loses prepared statements and timeouts. ` +
          'Set the pooler to session mode, or connect directly. See DATABASE_URL.',
      );
    }
  } finally {
    await other.end();
  }
}

/** A pooler gives its clients process ids of its own, to cancel statements with. */
async function isDirect(client: Client): Promise<boolean> {
  const [processId] = await readRow(client, 'SELECT pg_backend_pid()');
  // The driver's types lack the property.
  return processId === (client as { readonly processID?: number }).processID;
}

async function haveOwnSessions(first: Client, second: Client): Promise<boolean> {
  const marks = [
    [first, '1'],
    [second, '2'],
  ] as const;
  for (const [client, value] of marks) await readRow(client, `SELECT set_config('${mark}', '${value}', false)`);
  // In reverse order, so that the second connection notices a pooler that uses its sessions in turn.
  for (const [client, value] of [...marks].reverse()) {
    const [found] = await readRow(client, `SELECT current_setting('${mark}', true)`);
    if (found !== value) return false;
  }
  return true;
}

async function readRow(client: Client, text: string): Promise<readonly unknown[]> {
  // The driver's types lack the timeout.
  const query = { text, rowMode: 'array', ...{ query_timeout: tryTimeoutMs } } as const;
  const { rows } = await client.query<unknown[]>(query);
  return rows[0] ?? [];
}
