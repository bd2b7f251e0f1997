import { startOfTests } from '../start-of-tests.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { service } from '../toys/toys-service.js';
import { commandLineOf, type Run } from './command-line.js';
import { createUnlimitedKeyWith, type IssuedKeyView, type KeyView } from './issued-keys.js';
import { starterOf } from './running-command.js';

/** `toys` in this process; with `toysJson`, its output with `--json`. */
export const { run: toys, runJson: toysJson } = commandLineOf(service);
export const startCommand = starterOf(toys);
export const createUnlimitedKey = createUnlimitedKeyWith(toysJson);

/** Runs `toys keys` for the tests of a suite, each with an empty database and a separate clock. */
export function keysCommands() {
  const options = { directory: '', clock: { now: startOfTests } };
  beforeEach(async () => {
    Object.assign(options, { directory: temporaryDirectory(), clock: { now: startOfTests } });
    await toys(['migrate'], options);
  });
  const keys = (...args: string[]): Promise<Run> => toys(['keys', ...args], options);
  const keysJson = <T = KeyView>(...args: string[]): Promise<T> => toysJson<T>(['keys', ...args], options);
  const create = (...args: string[]) => keysJson<IssuedKeyView>('create', '--name', 'app', ...args);
  const list = () => keysJson<KeyView[]>('list');
  return { options, keys, keysJson, create, list };
}
