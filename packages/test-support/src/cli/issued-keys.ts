import type { KeyView } from 'contract-server/cli/output/key-views.js';
import type { commandLineOf } from './command-line.js';

export type { KeyView };

/** What `keys create --json` prints. */
export type IssuedKeyView = KeyView & { readonly token: string };

/** Returns a function that creates a key with practically no limits, also while a server runs, and its token. */
export function createUnlimitedKeyWith(runJson: ReturnType<typeof commandLineOf>['runJson']) {
  return async (directory: string, databaseUrl = ''): Promise<string> => {
    const limits = ['--per-minute', '1000000000', '--per-day', '1000000000'];
    const create = ['keys', 'create', '--name', 'key', '--plan', 'enterprise', ...limits];
    const options = { directory, env: { DATABASE_URL: databaseUrl }, clock: Date.now };
    return (await runJson<IssuedKeyView>(create, options)).token;
  };
}
