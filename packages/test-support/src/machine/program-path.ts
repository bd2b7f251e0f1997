import { spawnSync } from 'node:child_process';

/** The path of a program; `undefined` if it is not installed. */
export function programPath(name: string): string | undefined {
  const { status, stdout } = spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
