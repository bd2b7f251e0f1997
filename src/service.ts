import { createService, idempotencyRetentionSecondsOf } from 'contract-server';
import { apiKeys } from 'contract-server/api-keys';
import { metrics } from 'contract-server/metrics';
import { postgres } from 'contract-server/postgres';
import { redisQuotas } from 'contract-server/redis';
import { apiReference } from 'contract-server/reference';
import { sqlite } from 'contract-server/sqlite';
import type { Contract } from './contract.js';
import { createHandlers } from './pets/handlers/index.js';
import { deleteExpiredKeys, IdempotentCreation } from './pets/idempotent-creation.js';
import { resetTransactions } from './pets/postgres/listing-delay.js';
import { createPostgresStores, createSqliteStores } from './pets/stores.js';

/** The definition of the pet store. */
export const service = createService<Contract>()({
  name: 'petstore',
  contract: new URL('../spec/petstore.yaml', import.meta.url),
  checkedContract: new URL('checked-contract.json', import.meta.url),
  stores: {
    migrations: new URL('../migrations/', import.meta.url),
    records: { table: 'pets', one: 'pet', many: 'pets' },
    sqlite: sqlite(createSqliteStores),
    postgres: postgres(createPostgresStores, { startSql: resetTransactions }),
  },
  security: { apiKey: apiKeys() },
  quotas: redisQuotas(),
  metrics: metrics(),
  reference: apiReference(),
  create: ({ stores: { pets }, measureStore, clock, document }) => {
    const operations = ['list', 'find', 'insert', 'insertOnce', 'findReplay', 'deleteExpiredKeys'] as const;
    const measured = measureStore('pets', pets, operations);
    const retentionMs = idempotencyRetentionSecondsOf(document, 'createPet') * 1000;
    const creations = new IdempotentCreation(measured, retentionMs, clock);
    return {
      handlers: createHandlers(measured, creations),
      /** Reads one page. */
      check: () => pets.list({ limit: 1, status: undefined, afterId: 0 }),
      maintain: () => deleteExpiredKeys(pets, clock()),
    };
  },
});
