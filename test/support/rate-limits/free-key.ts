import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { newQuotaState, type QuotaState } from '#src/rate-limits/decide.js';
import { CounterFile } from '#src/rate-limits/file/counter-file.js';
import { createApiKeyService, openStores } from '#src/service/open-stores.js';
import { startOfTests } from '../servers/service.js';

const contract = await readContract(contractUrl);

/** Issues a key on the free plan whose quota has this state. Resolves with its token. */
export async function issueFreeKey(directory: string, known: Partial<QuotaState>): Promise<string> {
  const config = readConfig({ DATA_DIR: directory }, contract.document);
  const clock = () => startOfTests;
  const stores = await openStores(config, 'command', { clock, report: () => undefined });
  const counters = new CounterFile(directory, clock, () => undefined);
  try {
    const apiKeyService = createApiKeyService(config, stores, { contract, clock });
    const { key, token } = await apiKeyService.create({
      name: 'free',
      plan: 'free',
      limits: undefined,
      expiresAt: undefined,
    });
    counters.write(new Map([[key.quota.id, { ...newQuotaState(), ...known }]]));
    return token;
  } finally {
    await counters.close();
    await stores.close();
  }
}
