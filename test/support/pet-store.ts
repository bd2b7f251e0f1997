/** The pet store for tests: its contract, its settings, and its databases. */

import * as config from '#contract-server/config.js';
import { readContract } from '#contract-server/contract/load/load-contract.js';
import { settingsOwner } from '#contract-server/service/definition.js';
import { migrationsOf } from '#contract-server/service/open-stores.js';
import { service } from '#src/service.js';

export const { definition } = service;
export const contract = await readContract(definition);
/** The migrations in each engine: those of the library, and those of the pets. */
export const sqliteMigrations = await migrationsOf(definition, 'sqlite');
export const postgresMigrations = await migrationsOf(definition, 'postgres');

const owner = settingsOwner(definition);

export const settingList = config.settingsOf(owner);

/** Reads the settings of the pet store. */
export function readConfig(
  env: NodeJS.ProcessEnv,
  document = contract.document,
  overrides: Partial<config.Config> = {},
): config.Config {
  return config.readConfig(owner, env, document, overrides);
}
