import { setTimeout as delay } from 'node:timers/promises';
import { sharedPostgres } from '../postgres/postgres.js';
import { Fleet } from './fleet.js';

/**
 * `npm run fleet`: runs the services of `compose.yaml` as processes of this machine, in temporary directories and on
 * free ports, until a signal stops it. The nodes take their settings from the environment.
 */
const say = (text: string) => void process.stdout.write(`${text}\n`);
// The terminal may have been closed.
process.stdout.on('error', () => undefined);
/** A terminal sends Ctrl-C to every process: how long the nodes may take to stop by themselves, in milliseconds. */
const ctrlCMs = 2000;
/** Timeout of the whole shutdown, in milliseconds. Remaining processes are killed. */
const stopTimeoutMs = 15_000;

let isStopping = false;
// Installed before anything is started, so that no process remains. npm passes signals on: they may arrive twice.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (isStopping) return;
    isStopping = true;
    say('\nStopping.');
    void Promise.race([stop(signal), delay(stopTimeoutMs)])
      .catch((error: unknown) => console.error(error))
      // Kills what is left, and removes the temporary directories.
      .finally(() => process.exit());
  });
}

const { LOG_LEVEL: logLevel = 'warn', MAX_DATABASE_CONNECTIONS: connectionsMax = '' } = process.env;
const running: { fleet?: Fleet } = {};
const fleet = await Fleet.start({ LOG_LEVEL: logLevel, MAX_DATABASE_CONNECTIONS: connectionsMax });
running.fleet = fleet;
const { balancer, nodes, redis, databaseUrl } = fleet;
const postgres = await sharedPostgres();
const token = await fleet.createUnlimitedKey();
const freeToken = await fleet.createKey('free');

say(`The service is at ${fleet.baseUrl}

  nginx       pid ${String(balancer.pid)}, 127.0.0.1:${String(balancer.port)}, deploy/nginx.conf
${nodes.map(({ server, port }) => `  node        pid ${String(server.pid)}, 127.0.0.1:${String(port)}`).join('\n')}
  PostgreSQL  pid ${String(postgres.pid)}, ${databaseUrl}
  Redis       pid ${String(redis.pid)}, ${redis.url}

A key without limits worth speaking of, and one on the plan free:

  ${token}
  ${freeToken}

Try it, and stop everything with Ctrl-C:

  curl -H "Authorization: Bearer ${token}" ${fleet.baseUrl}/pets
`);

/** Kills the nodes that are still starting. */
async function stop(signal: NodeJS.Signals): Promise<void> {
  const { fleet } = running;
  if (fleet === undefined) return;
  if (signal === 'SIGINT')
    await Promise.race([Promise.all(fleet.nodes.map(({ server }) => server.ended)), delay(ctrlCMs)]);
  await fleet.stop();
  await (await sharedPostgres()).stop();
}
