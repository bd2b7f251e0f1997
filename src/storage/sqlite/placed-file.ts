import { type BigIntStats, statSync } from 'node:fs';

/** A file that is open, and the path that led to it. As long as it is open no other file has its device and inode. */
export class PlacedFile {
  private readonly stats: BigIntStats;

  /** @throws if there is no such file. */
  constructor(private readonly path: string) {
    this.stats = statSync(path, { bigint: true });
  }

  /** Whether the path still leads to it. It does not once the file, or a directory above it, was renamed, deleted or replaced. */
  isInPlace(): boolean {
    const found = statOf(this.path);
    return found !== undefined && found.ino === this.stats.ino && found.dev === this.stats.dev;
  }
}

/** Changes when a path leads to something else, or what it leads to is written to. */
export function sightOf(path: string): string {
  const found = statOf(path);
  return found === undefined ? 'nothing' : [found.dev, found.ino, found.size, found.ctimeNs].join(' ');
}

/** What a path leads to; `undefined` if nothing is there, or nobody can tell. */
export function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
