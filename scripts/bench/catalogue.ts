import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToken, hashToken } from '#contract-server/api-keys/token.js';
import { rootPath, temporaryDirectory } from './paths.js';

/** Initial data of servers. Each API key has a very large quota. */
export interface Catalogue {
  /** The DATA_DIR, which each server copies. */
  readonly directory: string;
  readonly pets: number;
  readonly tokens: readonly string[];
}

/**
 * Imports pets and API keys by the command line.
 *
 * @param env the settings of the stores; SQLite by default.
 */
export function createCatalogue({ pets = 10_000, keys = 1, env = {} } = {}): Catalogue {
  const directory = temporaryDirectory();
  const importLines = (what: string, count: number, lineOf: (index: number) => object) => {
    console.error(`Importing ${what}: ${String(count)}`);
    const file = join(temporaryDirectory(), what);
    writeFileSync(file, Array.from({ length: count }, (_, index) => JSON.stringify(lineOf(index))).join('\n'));
    const args = [rootPath('dist/petstore.js'), what, 'import', file];
    execFileSync(process.execPath, args, { env: { DATA_DIR: directory, ...env }, stdio: 'pipe' });
    rmSync(file);
  };
  const statuses = ['available', 'pending', 'sold'];
  importLines('pets', pets, (index) => ({
    name: `Pet ${String(index)}`,
    categoryId: index % 50,
    status: statuses[index % 3],
  }));
  const tokens = Array.from({ length: keys }, () => createToken('pets_live_'));
  const quota = { plan: 'enterprise', requestsPerMinute: 1_000_000_000, requestsPerDay: 1_000_000_000 };
  importLines('keys', keys, (index) => {
    const [id, tokenSha256] = [`key_${String(index)}`, hashToken(tokens[index] ?? '').toString('hex')];
    return { id, quotaId: `quota_${String(index)}`, tokenSha256, name: id, createdAt: new Date(), ...quota };
  });
  return { directory, pets, tokens };
}
