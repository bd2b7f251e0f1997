import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SqliteDatabase } from '../database/sqlite/database.js';
import { checkSqliteFile, openSqliteDatabase, requireDatabaseFile } from '../database/sqlite/open-database.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import type { ApplicationStores, EngineOptions } from './definition.js';
import type { ResourceStack } from './resource-stack.js';

/** How long a command waits for a lock of the server, in milliseconds. */
const commandLockTimeoutMs = 10_000;

/** The path of the database of a service in its data directory. */
export function databaseFileOf(name: string, directory = ''): string {
  return join(resolve(directory), `${name}.db`);
}

/** Opens the database of a service in its data directory. @throws StartError */
export async function openSqlite<Stores extends ApplicationStores>(
  opened: ResourceStack,
  options: EngineOptions,
  createStores: (db: SqliteDatabase, options: EngineOptions) => Stores | Promise<Stores>,
) {
  const { name, role, mustExist } = options;
  const { dataDirectory: directory = '' } = options.config;
  if (mustExist) requireDatabaseFile(databaseFileOf(name, directory));
  if (role === 'server') opened.add(takeServerLock(directory, name));
  const lockTimeoutMs = role === 'server' ? 0 : commandLockTimeoutMs;
  const db = opened.add(await openSqliteDatabase({ ...options, directory, fileName: `${name}.db`, lockTimeoutMs }));
  return { db, application: await createStores(db, options), location: directory };
}

/** Checks the database of a service, if it exists. @returns what was checked. @throws StartError */
export function checkSqlite(name: string, directory = ''): string {
  const file = databaseFileOf(name, directory);
  if (!existsSync(file)) return `DATA_DIR ${directory}, which has no database yet`;
  checkSqliteFile(file);
  return `the database ${file}`;
}
