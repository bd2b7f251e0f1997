import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { type BudgetState, freshBudget } from '#src/rate-limits/decide.js';
import { SqliteLimitJournal } from '#src/rate-limits/sqlite/journal.js';
import { createKeyRing, openStores } from '#src/service/create-service.js';
import { openTestLimits } from './database.js';
import { startOfTests } from './service.js';

const contract = await readContract(contractUrl);

/** Issues a key on the free plan, of whose budget so much is known already. Resolves with its token. */
export async function issueFreeKey(directory: string, known: Partial<BudgetState>): Promise<string> {
  const config = readConfig({ DATA_DIR: directory }, contract.document);
  const stores = await openStores(config, 'command');
  const limits = openTestLimits(directory);
  try {
    const keyRing = createKeyRing(config, stores, { contract, clock: () => startOfTests, report: () => undefined });
    const { key, token } = await keyRing.create({
      name: 'free',
      plan: 'free',
      limits: undefined,
      expiresAt: undefined,
    });
    await new SqliteLimitJournal(limits).write(new Map([[key.budget.id, { ...freshBudget(), ...known }]]));
    return token;
  } finally {
    limits.close();
    await stores.close();
  }
}
