import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Links } from '@contract-server/core/contract/links.js';
import { readContract } from '@contract-server/core/load/load-contract.js';
import { apiKeySecurity } from 'contract-server/api-keys/api-key-security.js';
import { ApiKeyService } from 'contract-server/api-keys/api-key-service.js';
import { Authenticator } from 'contract-server/api-keys/authenticator.js';
import { SqliteKeyStore } from 'contract-server/api-keys/sqlite-key-store.js';
import { apiKeys } from 'contract-server/api-keys.js';
import { readConfig } from 'contract-server/config.js';
import { openSqliteDatabase } from 'contract-server/database/sqlite/open-database.js';
import { KeyRedactor } from 'contract-server/log/key-redactor.js';
import { EmbeddedQuotaStore } from 'contract-server/rate-limits/embedded-quota-store.js';
import { apiReference } from 'contract-server/reference.js';
import { composeServer } from 'contract-server/service/compose-server.js';
import { createMock } from 'contract-server/service/create-mock.js';
import { migrationsOf } from 'contract-server/service/open-stores.js';
import { BookStore, booksSql } from './book-store.js';
import { createHandlers } from './handlers.js';

const contract = await readContract({
  contract: new URL('../../src/second-contract/contract.yaml', import.meta.url),
});
const config = readConfig(
  { name: 'library', parts: new Set(['sqlite', 'api-keys']) },
  { PORT: '0' },
  contract.document,
);

export interface Library {
  readonly server: Server;
  readonly baseUrl: string;
  readonly keys: ApiKeyService;
  /** Unix milliseconds. */
  readonly clock: { now: number };
  /** The errors that the operator receives. */
  readonly reported: unknown[];
  close(): Promise<void>;
}

/** Serves the contract of this folder with the modules of src/, on a free port and on separate databases. */
export async function startLibrary(): Promise<Library> {
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const now = () => clock.now;
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  const directory = await mkdtemp(join(tmpdir(), 'library-'));
  const migrations = await migrationsOf({ security: { apiKey: apiKeys() } }, 'sqlite');
  const books = { part: 'application', version: 1, name: 'books', sql: booksSql, compatibleFrom: 1 };
  const fileName = 'library.db';
  const db = await openSqliteDatabase({
    ...{ directory, fileName, clock: now, report, migrations: [...migrations, books], lockTimeoutMs: 0 },
  });
  const keys = new SqliteKeyStore(db);
  const prefix = contract.keyPrefixes[config.environment ?? ''] as string;
  const quotas = await EmbeddedQuotaStore.open(contract.banRule, now, db);

  const links = new Links(contract, now);
  const dependencies = {
    contract,
    redactor: new KeyRedactor(Object.values(contract.keyPrefixes)),
    clock: now,
    report,
  };
  const { server, listen, close } = await composeServer(config, dependencies, {
    quotas,
    security: { apiKey: apiKeySecurity(contract, new Authenticator(keys, prefix, now, 1000)) },
    checkStores: () => keys.find(''),
    links,
    reference: apiReference(),
    handlers: createHandlers(new BookStore(db)),
  });
  const { baseUrl } = await listen();
  return {
    server,
    baseUrl,
    keys: new ApiKeyService(keys, contract.plans, prefix, now, 'library'),
    clock,
    reported,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await close();
      await quotas.close();
      db.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** The mock server of the contract. */
export function createLibraryMock(report: (error: unknown) => void) {
  return createMock(config, {
    contract,
    clock: Date.now,
    redactor: new KeyRedactor(Object.values(contract.keyPrefixes)),
    report,
  });
}
