import { createRequire } from 'node:module';
import { StartError } from '@contract-server/core/lib/errors.js';
import type Database from 'better-sqlite3';

const require = createRequire(import.meta.url);

/**
 * The name of version 12 in a project that has version 13 as well, because npm skips the one that does not run on the
 * installed Node.js.
 */
const nameForNode20 = 'better-sqlite3-node20';

interface Installed {
  readonly name: string;
  readonly version: string;
}

/**
 * The package better-sqlite3. No version runs everywhere: 13 crashes on Node.js 20, and 12 can abort Node.js 24 if it
 * was compiled there.
 *
 * @throws StartError if the version for the running Node.js is not installed.
 */
export const BetterSqlite3: typeof Database = load();

function load(): typeof Database {
  const installed = ['better-sqlite3', nameForNode20].flatMap((name) => {
    const version = versionOf(name);
    return version === undefined ? [] : [{ name, version }];
  });
  return require(chooseSqlite(process.versions.node, installed).name) as typeof Database;
}

/** Selects the package for a version of Node.js. @throws StartError if it is not installed. */
export function chooseSqlite(node: string, installed: readonly Installed[]): Installed {
  const wanted = Number(node.split('.')[0]) < 22 ? '12' : '13';
  const found = installed.find(({ version }) => version.startsWith(`${wanted}.`));
  if (found !== undefined) return found;
  const instead = installed[0] === undefined ? '' : ` instead of ${installed[0].version}`;
  throw new StartError(
    `Node.js ${node} needs better-sqlite3 ${wanted}${instead}. Run npm install better-sqlite3@${wanted}.`,
  );
}

function versionOf(name: string): string | undefined {
  try {
    return (require(`${name}/package.json`) as { readonly version: string }).version;
  } catch {
    return undefined;
  }
}
