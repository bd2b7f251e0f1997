import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Quota } from '../../api-keys/api-key.js';
import { hashToken } from '../../api-keys/token.js';
import { type Config, readConfig } from '../../config.js';
import type { ContractDocument } from '../../openapi/document.js';
import type { PlanName } from '../../openapi/types.js';
import type { Dependencies } from '../../service/compose-server.js';
import { createService, type Service } from '../../service/create-service.js';
import { openAll } from '../../service/resource-stack.js';
import type { Signals } from '../context.js';

const unlimited = { requestsPerMinute: 1_000_000_000, requestsPerDay: 1_000_000_000 };

interface EphemeralOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly overrides: Partial<Config>;
  /** The only API key, with the environment that accepts it. */
  readonly key: { readonly environment: string; readonly token: string };
  /** The plan of the key; `undefined` for practically no limits, also without a key. */
  readonly plan: PlanName | undefined;
  readonly signals: Signals;
}

/** Creates the real service on an empty store that is deleted when the process exits. @throws StartError */
export function createEphemeralService(options: EphemeralOptions, dependencies: Dependencies): Promise<Service> {
  const { env, overrides, key, plan, signals } = options;
  const { contract, clock, report } = dependencies;
  const dataDirectory = mkdtempSync(join(tmpdir(), 'petstore-mock-'));
  signals.once('exit', () => rmSync(dataDirectory, { recursive: true, force: true }));
  const ownEnv = { ...env, PETSTORE_ENVIRONMENT: key.environment };
  const config = readConfig(ownEnv, contract.document, { ...overrides, dataDirectory });
  const unset = { expiresAt: undefined, revokedAt: undefined, rotatedAt: undefined, lastUsedAt: undefined };
  const quota = createQuota(plan, contract.document);
  const storedKey = { id: 'key_mock', name: 'mock', quota, createdAt: clock(), ...unset };
  return openAll(report, async (opened) => {
    const service = opened.add(await createService(config, dependencies, plan ? undefined : unlimited));
    await service.stores.keys.insertAll([{ key: storedKey, tokenHash: hashToken(key.token) }]);
    return service;
  });
}

function createQuota(plan: PlanName | undefined, document: ContractDocument): Quota {
  if (plan !== undefined) return { id: 'quota_mock', plan, limits: undefined };
  const [custom] = Object.entries(document['x-rate-limit-plans']).find(([, limits]) => limits === 'custom') ?? [];
  if (custom === undefined) throw new TypeError('The contract has no custom plan.');
  return { id: 'quota_mock', plan: custom as PlanName, limits: unlimited };
}
