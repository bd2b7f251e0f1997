import { createKey } from '#src/api-keys/api-key.js';
import { Authenticator } from '#src/api-keys/authenticator.js';
import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import { createToken, hashToken } from '#src/api-keys/token.js';
import { readConfig } from '#src/config.js';
import { AddressLimit } from '#src/http/address-limit.js';
import type { SecurityHandlers } from '#src/http/security.js';
import { Readiness } from '#src/observability/readiness.js';
import { createApi } from '#src/openapi/create-api.js';
import type { ContractDocument } from '#src/openapi/document.js';
import type { Handlers } from '#src/openapi/types.js';
import { EmbeddedQuotaStore } from '#src/rate-limits/embedded-quota-store.js';
import { composeServer } from '#src/service/compose-server.js';
import { closeLater } from '../closing.js';
import { openTestDatabase } from '../sqlite/database.js';
import { startOfTests } from './service.js';

export interface Composition {
  readonly document: ContractDocument;
  /** Conform to the document, and not to the types of the service's own contract. */
  readonly handlers: unknown;
  readonly security: (authenticator: Authenticator) => SecurityHandlers;
}

/** Serves a document with handlers on a free port, and closes the server after the test or file. */
export async function startComposed({ document, handlers, security }: Composition) {
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  const clock = () => startOfTests;
  const keys = new SqliteKeyStore(await openTestDatabase());
  const token = createToken('pets_live_');
  const quota = { id: 'quota_app', plan: 'pro', limits: undefined } as const;
  const key = createKey({ id: 'key_app', name: 'app', quota, createdAt: startOfTests });
  await keys.insertAll([{ key, tokenHash: hashToken(token) }]);
  const contract = { bytes: Buffer.of(), document };
  const dependencies = { contract, clock, redactor: new KeyRedactor(document), report };
  const { server, listen } = await composeServer(readConfig({ PORT: '0' }, document), dependencies, {
    security: security(new Authenticator(keys, 'pets_live_', clock, 1000)),
    quotas: await EmbeddedQuotaStore.open(document['x-rate-limit-ban'], clock),
    addressLimit: new AddressLimit(60),
    readiness: new Readiness(() => Promise.resolve(), report),
    createApi: (_links, lifecycleHandlers) =>
      createApi({ document, handlers: handlers as Handlers, lifecycleHandlers }),
    serverEvents: { onEnd: () => undefined },
  });
  const { baseUrl } = await listen();
  closeLater(() => server.close().closeAllConnections());
  return { server, baseUrl, token, reported };
}
