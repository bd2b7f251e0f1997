import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CommandError, systemReasonOf } from '@contract-server/core/lib/errors.js';

/** The packages that a service depends on: by itself, or because another one of them does. */
const names = ['client', 'core', 'diff', 'testing'].map((name) => `@contract-server/${name}`).concat('contract-server');

/** Packed packages of the library, by their names. */
export type PackedLibrary = ReadonlyMap<string, URL>;

/** Packs the library into a folder, without a network. @throws CommandError */
export async function packLibrary(folder: string): Promise<PackedLibrary> {
  const advice = 'Pack the packages of contract-server yourself, and name their folder with --packages.';
  try {
    const folders = names.map((name) => fileURLToPath(new URL('.', import.meta.resolve(`${name}/package.json`))));
    const args = ['pack', ...folders, '--json', '--ignore-scripts', '--pack-destination', folder];
    await promisify(execFile)('npm', args, { cwd: folder });
  } catch (cause) {
    throw new CommandError(`npm cannot pack contract-server: ${systemReasonOf(cause)}. ${advice}`, { cause });
  }
  return findPacked(folder);
}

/** Finds the packed packages in a folder. @throws CommandError if one is missing. */
export function findPacked(folder: string): PackedLibrary {
  const files = readdirSync(folder);
  return new Map(
    names.map((name) => {
      const prefix = `${name.replace('@', '').replace('/', '-')}-`;
      const file = files.find((each) => each.startsWith(prefix) && /^\d[^/]*\.tgz$/.test(each.slice(prefix.length)));
      if (file === undefined) throw new CommandError(`${folder} has no file ${prefix}<version>.tgz.`);
      return [name, new URL(file, pathToFileURL(`${folder}/`))];
    }),
  );
}
