import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programPath } from './program-path.js';

const debianRoot = '/usr/lib/postgresql';

/** The directory of PostgreSQL's programs: Debian's newest, or that on the path. `undefined` if not installed. */
export const postgresPrograms = findPrograms();

/** The owner of PostgreSQL's files and processes. It does not run as root, but as the user of its package. */
export const postgresOwner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

/** Gives PostgreSQL access to a directory. */
export function giveToPostgres(directory: string): void {
  if (postgresOwner.uid !== undefined) chownSync(directory, postgresOwner.uid, postgresOwner.gid);
  chmodSync(directory, 0o700);
}

function findPrograms(): string | undefined {
  const versions = existsSync(debianRoot)
    ? readdirSync(debianRoot).sort((one, other) => Number(one) - Number(other))
    : [];
  const folders = versions.reverse().map((version) => join(debianRoot, version, 'bin'));
  const onPath = programPath('initdb');
  if (onPath !== undefined) folders.push(dirname(onPath));
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

function idOf(flag: '-u' | '-g'): number {
  return Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
}
