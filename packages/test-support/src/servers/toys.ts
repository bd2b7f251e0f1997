import { Links } from '@contract-server/core/contract/links.js';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import { apiKeySecurity } from 'contract-server/api-keys/api-key-security.js';
import { ApiKeyService } from 'contract-server/api-keys/api-key-service.js';
import { Authenticator } from 'contract-server/api-keys/authenticator.js';
import { SqliteKeyStore } from 'contract-server/api-keys/sqlite-key-store.js';
import type { Config } from 'contract-server/config.js';
import { GroupCommit } from 'contract-server/database/group-commit.js';
import { Metrics } from 'contract-server/observability/metrics.js';
import { FailoverQuotaStore } from 'contract-server/rate-limits/failover-quota-store.js';
import { apiReference } from 'contract-server/reference.js';
import { composeServer, type Dependencies } from 'contract-server/service/compose-server.js';
import { requestWithKey } from '../clients/request-with-key.js';
import { createStrictCheck } from '../contract/strict-check.js';
import { toysContract, toysUrl } from '../contract/toys-contract.js';
import { openTestDatabase } from '../sqlite/database.js';
import { serversWith } from './test-server.js';

interface NewToy {
  readonly name: string;
  readonly weight: number;
}

/** The contract of these servers. It does not depend on that of the service. */
export const contract = toysContract;

/** Fails unless the contract declares the response. */
export const assertConforms = await createStrictCheck(toysUrl);
export const request = requestWithKey(assertConforms);

/** The modules without the application, whose toys are in the database of the API keys. */
export const {
  startServer: startToys,
  useServer: useToys,
  useNewServer: useNewToys,
} = serversWith({ name: 'toys', parts: new Set(['sqlite', 'redis', 'api-keys', 'metrics']) }, contract, createToys);
export type TestToys = Awaited<ReturnType<typeof startToys>>;

async function createToys(config: Config, dependencies: Dependencies) {
  const { clock, report } = dependencies;
  const { document } = contract;
  const rule = contract.banRule;
  const db = await openTestDatabase(config.dataDirectory, { clock }, report);
  const keys = new SqliteKeyStore(db);
  const tokenPrefix = contract.keyPrefixes[config.environment ?? ''] as string;
  const authenticator = new Authenticator(keys, tokenPrefix, clock, config.concurrentRequestsMax);
  const quotas = config.redis && new FailoverQuotaStore('toys', config.redis, rule, clock, report);
  const metrics = config.metricsPort === undefined ? undefined : new Metrics('toys', document.info.version);
  const composed = await composeServer(config, dependencies, {
    security: { apiKey: apiKeySecurity(contract, authenticator) },
    ...(quotas && { quotas }),
    checkStores: () => keys.find(''),
    reference: apiReference(),
    links: new Links(contract, clock, config.publicBaseUrl),
    handlers: toysIn(db),
    metrics,
  });
  metrics?.collectFrom(composed.connections, quotas ?? { isDegraded: false }, config);
  const service = new ApiKeyService(keys, contract.plans, tokenPrefix, clock, 'toys');
  return { ...composed, stores: { apiKeys: { service } } };
}

/** The handlers of the operations. */
function toysIn(db: Awaited<ReturnType<typeof openTestDatabase>>) {
  db.connection.exec('CREATE TABLE IF NOT EXISTS toys (id INTEGER PRIMARY KEY, name TEXT, weight INTEGER)');
  const insert = db.prepare<[string, number]>('INSERT INTO toys (name, weight) VALUES (?, ?)');
  const insertAll = (toys: readonly NewToy[]) =>
    toys.map(({ name, weight }) => Number(insert.run(name, weight).lastInsertRowid));
  const creations = new GroupCommit<NewToy, number>((toys) => db.transaction(() => insertAll(toys)));
  const list = db.prepare<[number], NewToy>('SELECT id, name, weight FROM toys ORDER BY id LIMIT ?');
  return {
    listToys: async ({ query: { limit } }: { query: { limit: number } }) => ({
      status: 200,
      body: stringifyJson(await db.run(() => list.all(limit))),
    }),
    createToy: async ({ body }: { body: NewToy }) => ({
      status: 201,
      body: stringifyJson({ id: await creations.add(body), ...body }),
    }),
    getToy: ({ path: { toyId: id } }: { path: { toyId: number } }) =>
      Promise.resolve({ status: 200, body: stringifyJson({ id, name: 'Block', weight: 100 }) }),
  };
}
