import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = [
  'spec',
  'src',
  'migrations',
  'scripts',
  'generated',
  'packages',
  'package.json',
  'tsconfig.json',
  'config',
];

/**
 * Copies the project with what is compiled, so that tests can change its sources and build it. Returns its path.
 *
 * @param others files and folders that are copied besides the sources of the service.
 */
export async function copyProject(directory = temporaryDirectory(), others: readonly string[] = []): Promise<string> {
  // The files keep their times, so that the compiler has nothing to do at first.
  const filter = (path: string) => !/\/(?:node_modules|build|test)$/.test(path);
  for (const part of [...sources, ...others, 'dist'])
    await cp(join(root, part), join(directory, part), { recursive: true, preserveTimestamps: true, filter });
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}
