import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '@contract-server/core/lib/errors.js';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { print } from '../context.js';
import type { Run } from '../invocation.js';
import { countOf } from '../output/format.js';
import { findPacked, type PackedLibrary, packLibrary } from './pack-library.js';
import { isServiceName, requireEmpty, writeService } from './write-service.js';

interface NewOptions {
  readonly name?: string;
  readonly packages?: string;
}

/** Adds `new`. */
export function addNew(program: Command, { context }: Run): void {
  program
    .command('new')
    .description('create a service in a new folder')
    .argument('<folder>', 'folder to create; it may exist if it is empty')
    .option('--name <name>', 'name of the service (default: that of the folder)', parseName)
    .addOption(
      new Option(
        '--packages <folder>',
        'folder with the packed packages of contract-server to copy and depend on (default: those that run, which it packs)',
      ),
    )
    .addHelpText('after', () => help)
    .action(async (folder: string, options: NewOptions) => {
      const name = options.name ?? nameOf(folder);
      requireEmpty(resolve(folder));
      const files = await withPackages(options.packages, (packed) => writeService(resolve(folder), { name, packed }));
      await print(
        context.stdout,
        `Created ${name}: ${countOf(files.length, 'file')} in ${folder}.\n${nextSteps(folder)}`,
      );
    });
}

/** Passes the packed library on: that in the given folder, or temporary files. */
async function withPackages<T>(folder: string | undefined, work: (packed: PackedLibrary) => T): Promise<T> {
  if (folder !== undefined) return work(findPacked(resolve(folder)));
  const directory = await mkdtemp(join(tmpdir(), 'contract-server-'));
  try {
    return work(await packLibrary(directory));
  } finally {
    await rm(directory, { recursive: true });
  }
}

const help = `
It writes a contract, handlers, a SQLite store, tests, CI and a Dockerfile, and neither installs nor downloads anything.

Examples:
  contract-server new library
  contract-server new . --name library`;

const rule = 'use lower-case letters and digits, with hyphens between them, beginning with a letter';

function parseName(text: string): string {
  if (!isServiceName(text)) throw new InvalidArgumentError(`It is not a name; ${rule}.`);
  return text;
}

/** @throws UsageError if the name of the folder is not one of a service. */
function nameOf(folder: string): string {
  const name = basename(resolve(folder));
  if (!isServiceName(name)) throw new UsageError(`The folder ${name} needs --name: ${rule}.`);
  return name;
}

function nextSteps(folder: string): string {
  const place = /^[\w./~-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", String.raw`'\''`)}'`;
  return `
  cd ${place}
  npm install
  npm test
  npm start     # prints an API key, and a request to try

README.md shows how to add operations, PostgreSQL, JWT and more.
`;
}
