import { issueKey } from '@contract-server/test-support/issue-key.js';
import { saveUsedQuota } from '@contract-server/test-support/rate-limits/used-quota.js';
import { definition, sqliteMigrations } from '../pet-store.js';
import { startService } from '../servers/service.js';

/** Issues a key on the free plan whose quota has used this. Resolves with its token. */
export async function issueFreeKey(directory: string, used: Parameters<typeof saveUsedQuota>[1]): Promise<string> {
  const service = await startService({ DATA_DIR: directory });
  const { key, token } = await issueKey(service, 'free');
  await service.close();
  const own = { fileName: `${definition.name}.db`, migrations: sqliteMigrations };
  await saveUsedQuota(key.quota.id, used, directory, own);
  return token;
}
