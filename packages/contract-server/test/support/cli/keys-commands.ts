import type { KeyView } from '#src/cli/output/key-views.js';
import { startOfTests } from '../start-of-tests.js';
import { temporaryDirectory } from '../temporary-directory.js';
import type { commandLineOf, Run } from './command-line.js';

export type { KeyView };

/** What `keys create --json` prints. */
export type IssuedKeyView = KeyView & { readonly token: string };

/** Runs the commands `keys` of a service for the tests of a suite, each with an empty database and a separate clock. */
export function keysCommandsOf({ run, runJson }: ReturnType<typeof commandLineOf>) {
  const options = { directory: '', clock: { now: startOfTests } };
  beforeEach(async () => {
    Object.assign(options, { directory: temporaryDirectory(), clock: { now: startOfTests } });
    await run(['migrate'], options);
  });
  const keys = (...args: string[]): Promise<Run> => run(['keys', ...args], options);
  const keysJson = <T = KeyView>(...args: string[]): Promise<T> => runJson<T>(['keys', ...args], options);
  const create = (...args: string[]) => keysJson<IssuedKeyView>('create', '--name', 'app', ...args);
  const list = () => keysJson<KeyView[]>('list');
  return { options, keys, keysJson, create, list };
}

/** Returns a function that creates a key with practically no limits, also while a server runs, and its token. */
export function createUnlimitedKeyWith(runJson: ReturnType<typeof commandLineOf>['runJson']) {
  return async (directory: string, databaseUrl = ''): Promise<string> => {
    const limits = ['--per-minute', '1000000000', '--per-day', '1000000000'];
    const create = ['keys', 'create', '--name', 'key', '--plan', 'enterprise', ...limits];
    const options = { directory, env: { DATABASE_URL: databaseUrl }, clock: Date.now };
    return (await runJson<IssuedKeyView>(create, options)).token;
  };
}
