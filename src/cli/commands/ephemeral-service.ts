import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Quota } from '../../api-keys/api-key.js';
import { hashToken } from '../../api-keys/token.js';
import { type Config, readConfig } from '../../config.js';
import type { ContractDocument } from '../../openapi/document.js';
import type { PlanName } from '../../openapi/types.js';
import { createService, type Dependencies, type Service } from '../../service/create-service.js';
import type { Signals } from '../context.js';
import { mockKey } from './mock-key.js';

/** Requests per minute and per day that nobody's tests use up. */
const plenty = { requestsPerMinute: 1_000_000_000, requestsPerDay: 1_000_000_000 };

/**
 * Puts the real service together on an empty store that is gone when the process ends, unless it is killed. Its one key
 * is that of every mock, on this plan, or without limits worth speaking of.
 *
 * @throws StartError
 */
export async function openEphemeralService(
  settings: Readonly<Record<string, string | undefined>>,
  plan: PlanName | undefined,
  dependencies: Dependencies,
  signals: Signals,
): Promise<Service> {
  const { contract, clock } = dependencies;
  const directory = mkdtempSync(join(tmpdir(), 'petstore-mock-'));
  signals.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const environment = { DATA_DIR: directory, PETSTORE_ENVIRONMENT: mockKey.environment };
  const config: Config = readConfig({ ...settings, ...environment }, contract.document);
  const service = await createService(config, dependencies);
  const key = {
    ...{ id: 'key_mock', name: 'mock', quota: quotaOf(plan, contract.document), createdAt: clock() },
    ...{ expiresAt: undefined, revokedAt: undefined, rotatedAt: undefined, lastUsedAt: undefined },
  };
  await service.stores.keys.insert(key, hashToken(mockKey.token));
  return service;
}

function quotaOf(plan: PlanName | undefined, document: ContractDocument): Quota {
  if (plan !== undefined) return { id: 'quota_mock', plan, limits: undefined };
  const [custom] = Object.entries(document['x-rate-limit-plans']).find(([, limits]) => limits === 'custom') ?? [];
  if (custom === undefined) throw new TypeError('The contract has no plan with numbers of its own.');
  return { id: 'quota_mock', plan: custom as PlanName, limits: plenty };
}
