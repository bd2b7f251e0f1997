import { execFileSync } from 'node:child_process';
import { accessSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Context } from 'mocha';
import { temporaryDirectory } from './temporary-directory.js';

const mounted: string[] = [];

/** Runs a command that needs root. If it is not permitted, the test is skipped, with the reason in its title. */
function requireRoot(test: Context, command: string, ...args: readonly string[]): string {
  try {
    return run(command, ...args);
  } catch (error) {
    console.warn(String(error));
    if (test.test !== undefined) test.test.title += ` [skipped: ${command} is not permitted]`;
    test.skip();
  }
}

/** Mounts a small tmpfs over a directory until the test run ends. */
export function mountSmallDisk(test: Context, bytes: number, directory = temporaryDirectory()): string {
  requireRoot(test, 'mount', '-t', 'tmpfs', '-o', `size=${String(bytes)}`, 'petstore-test', directory);
  mounted.push(directory);
  return directory;
}

/** A loop device with ext4, which Linux makes read-only after an I/O error. */
export class ErringDisk {
  readonly directory = temporaryDirectory();
  private readonly trigger: string;

  constructor(test: Context) {
    const image = join(temporaryDirectory(), 'image');
    writeFileSync(image, '');
    truncateSync(image, 16 * 2 ** 20);
    requireRoot(test, 'mkfs.ext4', '-q', '-F', '-e', 'remount-ro', image);
    requireRoot(test, 'mount', '-o', 'loop', image, this.directory);
    mounted.push(this.directory);
    const device = requireRoot(test, 'findmnt', '--noheadings', '--output', 'SOURCE', this.directory).trim();
    this.trigger = `/sys/fs/ext4/${basename(device)}/trigger_fs_error`;
    accessSync(this.trigger);
  }

  /** Causes an I/O error. */
  fail(): void {
    writeFileSync(this.trigger, 'the test wants it so');
  }
}

export function unmount(directory: string): void {
  mounted.splice(mounted.lastIndexOf(directory), 1);
  run('umount', '--lazy', directory);
}

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { stdio: 'pipe', encoding: 'utf8' });
}

/** Fills a file system. */
export function fillDisk(directory: string): void {
  const { bavail, bsize } = statfsSync(directory);
  writeFileSync(join(directory, 'ballast'), Buffer.alloc(bavail * bsize));
}

export function freeDisk(directory: string): void {
  rmSync(join(directory, 'ballast'), { force: true });
}

// Unmounts before the directories are removed.
process.prependListener('exit', () => {
  for (const directory of [...mounted].reverse()) unmount(directory);
});
