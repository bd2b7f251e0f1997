import { setTimeout as delay } from 'node:timers/promises';
import { Fleet } from './fleet.js';
import { sharedPostgres } from './postgres.js';

/**
 * `npm run fleet`: what `compose.yaml` describes, as processes of this machine, in temporary directories and on free ports, until Ctrl-C. Settings of
 * the nodes are taken from the environment.
 */
const say = (text: string) => void process.stdout.write(`${text}\n`);
/** A terminal sends Ctrl-C to every process: so long they are left to end by themselves, in milliseconds. */
const farewellMs = 2000;

const { LOG_LEVEL: logLevel = 'warn', MAX_DATABASE_CONNECTIONS: connectionsMax = '' } = process.env;
const fleet = await Fleet.start({ LOG_LEVEL: logLevel, MAX_DATABASE_CONNECTIONS: connectionsMax });
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

const signal = await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
say('\nStopping.');
if (signal === 'SIGINT') await Promise.race([Promise.all(nodes.map(({ server }) => server.ended)), delay(farewellMs)]);
await fleet.stop();
await postgres.stop();
process.exit();
