/** The pet store for tests: its contract, its settings, and its databases. */

import { servicePartsOf } from '@contract-server/test-support/service-parts.js';
import { service } from '#src/service.js';

export const { definition } = service;
/** The migrations in each engine are those of the library, and those of the pets. */
export const { contract, sqliteMigrations, postgresMigrations, settingList, readConfig } =
  await servicePartsOf(definition);
