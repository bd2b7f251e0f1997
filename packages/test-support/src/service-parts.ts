import { readContract } from '@contract-server/core/load/load-contract.js';
import { type Config, readConfig, settingsOf } from 'contract-server/config.js';
import { type ServiceDefinition, settingsOwner } from 'contract-server/service/definition.js';
import { migrationsOf } from 'contract-server/service/open-stores.js';

/** What the start of a service derives from its definition, for tests of a part: contract, migrations and settings. */
export async function servicePartsOf(definition: ServiceDefinition) {
  const owner = settingsOwner(definition);
  const contract = await readContract(definition);
  return {
    contract,
    sqliteMigrations: await migrationsOf(definition, 'sqlite'),
    postgresMigrations: await migrationsOf(definition, 'postgres'),
    settingList: settingsOf(owner),
    readConfig: (env: NodeJS.ProcessEnv, document = contract.document, overrides: Partial<Config> = {}): Config =>
      readConfig(owner, env, document, overrides),
  };
}
