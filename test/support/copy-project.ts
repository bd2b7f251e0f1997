import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = ['spec', 'src', 'scripts', 'generated', 'package.json', 'tsconfig.json', 'config/tsconfig.base.json'];
const library = ['package.json', 'tsconfig.json', 'bin', 'src', 'scripts', 'dist'];

/**
 * Copies the project with what is compiled, so that tests can change its sources and build it. Returns its path.
 *
 * @param others files and folders that are copied besides the sources of the service.
 */
export async function copyProject(directory = temporaryDirectory(), others: readonly string[] = []): Promise<string> {
  // The files keep their times, so that the compiler has nothing to do at first.
  for (const part of [...sources, ...others, ...library.map((part) => `packages/contract-server/${part}`), 'dist'])
    await cp(join(root, part), join(directory, part), { recursive: true, preserveTimestamps: true });
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}
