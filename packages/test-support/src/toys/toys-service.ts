import { createService, errorsOf, stringifyJson } from 'contract-server';
import { apiKeys } from 'contract-server/api-keys';
import { metrics } from 'contract-server/metrics';
import { postgres } from 'contract-server/postgres';
import { redisQuotas } from 'contract-server/redis';
import { apiReference } from 'contract-server/reference';
import { sqlite } from 'contract-server/sqlite';
import type { Contract } from './generated/contract.js';
import { createPostgresStore, createSqliteStore } from './stores.js';

const ApiError = errorsOf<Contract>();

const root = new URL('../../src/toys/', import.meta.url);

/** A service with every part of the library, for the tests of its commands and of its process. */
export const service = createService<Contract>()({
  name: 'toys',
  contract: new URL('contract.yaml', root),
  checkedContract: new URL('checked-contract.json', import.meta.url),
  stores: {
    migrations: new URL('migrations/', root),
    records: { table: 'toys', one: 'toy', many: 'toys' },
    sqlite: sqlite(createSqliteStore),
    postgres: postgres(createPostgresStore),
  },
  security: { apiKey: apiKeys() },
  quotas: redisQuotas(),
  metrics: metrics(),
  reference: apiReference(),
  create: ({ stores, measureStore }) => {
    const toys = measureStore('toys', stores, ['list', 'find', 'insert']);
    return {
      handlers: {
        listToys: async ({ query: { limit } }) => ({ status: 200, body: await toys.list(limit) }),
        createToy: async ({ body }, { links }) => {
          const id = await toys.insert(body);
          const Location = String(links.to('getToy', { toyId: id }));
          return { status: 201, body: stringifyJson({ id, ...body }), headers: { Location } };
        },
        getToy: async ({ path: { toyId } }) => {
          const toy = await toys.find(toyId);
          if (toy === undefined) throw new ApiError('not_found', `No toy has the id ${String(toyId)}.`);
          return { status: 200, body: toy };
        },
      },
      check: () => stores.list(1),
    };
  },
});
