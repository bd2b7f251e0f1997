import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { newQuotaState, type QuotaState } from '#src/rate-limits/decide.js';
import { QuotaTable } from '#src/rate-limits/embedded-quota-store.js';
import { openStores } from '#src/service/open-stores.js';
import { issueKey } from '../issue-key.js';
import { openTestDatabase } from '../sqlite/database.js';
import { startOfTests } from '../start-of-tests.js';

const contract = await readContract(contractUrl);

/** Issues a key on the free plan whose quota has this state. Resolves with its token. */
export async function issueFreeKey(directory: string, known: Partial<QuotaState>): Promise<string> {
  const config = readConfig({ DATA_DIR: directory }, contract.document);
  const clock = () => startOfTests;
  const stores = await openStores(config, 'command', { contract, clock, report: () => undefined });
  const { key, token } = await issueKey({ stores }, 'free');
  const table = new QuotaTable(await openTestDatabase(directory));
  await table.save(new Map([[key.quota.id, { ...newQuotaState, ...known }]]), []);
  await stores.close();
  return token;
}
