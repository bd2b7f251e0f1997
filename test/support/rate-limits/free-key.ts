import { newQuotaState, type QuotaState } from '#contract-server/rate-limits/decide.js';
import { QuotaTable } from '#contract-server/rate-limits/embedded-quota-store.js';
import { openStores } from '#contract-server/service/open-stores.js';
import { issueKey } from '#contract-server-test/support/issue-key.js';
import { startOfTests } from '#contract-server-test/support/start-of-tests.js';
import { openTestDatabase } from '../databases.js';
import { contract, definition, readConfig } from '../pet-store.js';

/** Issues a key on the free plan whose quota has this state. Resolves with its token. */
export async function issueFreeKey(directory: string, known: Partial<QuotaState>): Promise<string> {
  const config = readConfig({ DATA_DIR: directory }, contract.document);
  const clock = () => startOfTests;
  const stores = await openStores(config, 'command', { definition, contract, clock, report: () => undefined });
  const { key, token } = await issueKey({ stores }, 'free');
  const table = new QuotaTable(await openTestDatabase(directory));
  await table.save(new Map([[key.quota.id, { ...newQuotaState, ...known }]]), []);
  await stores.close();
  return token;
}
