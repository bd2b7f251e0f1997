/** Starts one PostgreSQL and one Redis for a run with several files, in its main process. */
import { postgresToSkip } from './postgres/postgres.js';
import { PostgresServer } from './postgres/postgres-server.js';
import { RedisServer, redisToSkip } from './redis/redis-server.js';

let postgres: PostgresServer | undefined;
let redis: RedisServer | undefined;

/** The workers inherit the environment of the main process. */
export async function mochaGlobalSetup(): Promise<void> {
  if (postgresToSkip === undefined) {
    postgres = await PostgresServer.launch();
    process.env['PETSTORE_TEST_POSTGRES'] = JSON.stringify(postgres.location);
  }
  if (redisToSkip === undefined) {
    redis = await RedisServer.launch('--databases', '10000');
    process.env['PETSTORE_TEST_REDIS'] = String(redis.port);
  }
}

export async function mochaGlobalTeardown(): Promise<void> {
  await postgres?.stop();
  await redis?.kill();
}
