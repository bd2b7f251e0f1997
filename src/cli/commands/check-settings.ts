import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readConfig } from '../../config.js';
import { checkSqliteFile } from '../../database/sqlite/open-database.js';
import { reasonOf, StartError } from '../../lib/errors.js';
import type { BanRule } from '../../openapi/document.js';
import type { RedisTarget } from '../../rate-limits/redis-target.js';
import { databaseFileName } from '../../service/open-stores.js';
import { write } from '../context.js';
import type { Invocation, ListenOptions } from '../invocation.js';
import { printable } from '../output/format.js';

/** How long PostgreSQL may take to start, and Redis to respond, in milliseconds. */
const timeoutMs = 2000;

/**
 * Runs `petstore serve --check`: reads the settings, and connects to the databases that they name. It creates nothing,
 * applies no migration, and can run while a server runs.
 *
 * @throws StartError
 */
export async function checkSettings({ context, contract }: Invocation, options: ListenOptions): Promise<void> {
  const { databaseUrl, dataDirectory, redis } = readConfig(context.env, contract.document, options);
  const places = [databaseUrl === undefined ? checkDirectory(dataDirectory) : await checkPostgres(databaseUrl)];
  if (redis !== undefined) places.push(await checkRedis(redis, contract.document['x-rate-limit-ban']));
  await write(context.stdout, `The settings are valid. Checked ${printable(places.join(', and '))}.\n`);
}

function checkDirectory(directory: string): string {
  const file = join(resolve(directory), databaseFileName);
  if (!existsSync(file)) return `DATA_DIR ${directory}, which has no database yet`;
  checkSqliteFile(file);
  return `the database ${file}`;
}

async function checkPostgres(url: string): Promise<string> {
  const { usePostgres } = await import('../../database/postgres/open-database.js');
  return usePostgres(url, timeoutMs, (_client, location) => Promise.resolve(location));
}

async function checkRedis(redis: RedisTarget, rule: BanRule): Promise<string> {
  const place = `Redis at ${redis.description}`;
  const { RedisQuotaStore } = await import('../../rate-limits/redis-quota-store.js');
  try {
    const store = await RedisQuotaStore.open(redis, rule, timeoutMs);
    await store.close();
    return place;
  } catch (cause) {
    throw new StartError(`${place} cannot be used: ${reasonOf(cause)}. See REDIS_URL.`, { cause });
  }
}
