import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rootPath } from './root-path.js';
import { temporaryDirectory } from './temporary-directory.js';

/** What all servers start from: one catalogue and the keys to it, in a directory that each gets a copy of. */
export interface Stage {
  readonly animalCount: number;
  readonly tokens: {
    /** It may do more than any load does. */
    readonly valid: string;
    /** One request a day and no more. Its minute is wide, so that no ban sets in. */
    readonly spent: string;
    readonly revoked: string;
  };
  /** A directory with a copy of everything. */
  copy(name: string): Promise<string>;
}

const animalCount = 10_000;
const statuses = ['available', 'pending', 'sold'];
const plenty = '1000000000';

/** Sets the stage with the command line of the service. */
export async function setStage(): Promise<Stage> {
  const home = temporaryDirectory();
  const original = join(home, 'original');
  const petstore = async (...args: string[]) => {
    const options = { env: { DATA_DIR: original } };
    return (await promisify(execFile)(process.execPath, [rootPath('dist/cli/petstore.js'), ...args], options)).stdout;
  };
  const createKey = async (name: string, perMinute: string, perDay: string) => {
    const limits = ['--per-minute', perMinute, '--per-day', perDay];
    const created = await petstore('keys', 'create', '--name', name, '--plan', 'enterprise', ...limits, '--json');
    return JSON.parse(created) as { id: string; token: string };
  };
  const file = join(home, 'animals.ndjson');
  await writeFile(file, animals());
  await petstore('pets', 'import', file);
  const valid = await createKey('valid', plenty, plenty);
  const spent = await createKey('spent', plenty, '1');
  const revoked = await createKey('revoked', plenty, plenty);
  await petstore('keys', 'revoke', revoked.id);
  return {
    animalCount,
    tokens: { valid: valid.token, spent: spent.token, revoked: revoked.token },
    copy: async (name) => {
      const directory = join(home, name);
      await cp(original, directory, { recursive: true });
      return directory;
    },
  };
}

function animals(): string {
  const lines = Array.from({ length: animalCount }, (_, index) =>
    JSON.stringify({ name: `Animal ${String(index)}`, categoryId: index % 50, status: statuses[index % statuses.length] }),
  );
  return `${lines.join('\n')}\n`;
}
