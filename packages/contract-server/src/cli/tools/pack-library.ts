import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CommandError, systemReasonOf } from '@contract-server/core/lib/errors.js';
import { packageFolder } from '../../lib/package-folder.js';

const library = fileURLToPath(packageFolder);

/** Packs this package into a folder, without a network. @returns the file. @throws CommandError */
export async function packLibrary(folder: string): Promise<URL> {
  const args = ['pack', library, '--json', '--ignore-scripts', '--pack-destination', folder];
  try {
    const { stdout } = await promisify(execFile)('npm', args, { cwd: folder });
    const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
    return new URL(filename, pathToFileURL(`${folder}/`));
  } catch (cause) {
    throw new CommandError(
      `npm cannot pack ${library}: ${systemReasonOf(cause)}. Pack contract-server yourself, and name the file with --package.`,
      { cause },
    );
  }
}
