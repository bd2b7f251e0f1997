import { newQuotaState, type QuotaState } from 'contract-server/rate-limits/decide.js';
import { QuotaTable } from 'contract-server/rate-limits/embedded-quota-store.js';
import { openTestDatabase } from '../sqlite/database.js';

/** Stores what the requests of a quota have used, in the SQLite database of a service that does not run. */
export async function saveUsedQuota(
  quotaId: string,
  used: Partial<QuotaState>,
  ...database: Parameters<typeof openTestDatabase>
): Promise<void> {
  const table = new QuotaTable(await openTestDatabase(...database));
  await table.save(new Map([[quotaId, { ...newQuotaState, ...used }]]), []);
}
