import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** Copies the files of the project that git does not ignore, and these ignored folders. Files keep their times. */
export function copyProject(root: string, directory: string, ignored: readonly string[] = []): void {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
  for (const path of [...listed.split('\0'), ...ignored]) {
    const isPresent = path !== '' && existsSync(join(root, path));
    if (isPresent) cpSync(join(root, path), join(directory, path), { recursive: true, preserveTimestamps: true });
  }
}
