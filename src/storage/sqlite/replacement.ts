import type Database from 'better-sqlite3';
import type { AttachedFile } from './attached-file.js';
import { type OpenOptions, openDatabase } from './connection.js';
import { faultOfHeader } from './file-header.js';
import { sightOf, statOf } from './placed-file.js';

export interface ReplaceableOptions extends Omit<OpenOptions, 'creates' | 'startPatienceMs'> {
  /**
   * What becomes of the database when its file is lost while it is open. `recreate`: another one is made. Otherwise it waits for one that has rows
   * in this table: an empty one is the work of a command that found nothing, and would answer every key as unknown.
   */
  readonly whenLost: 'recreate' | { readonly awaitRowsIn: string };
}

/**
 * Looks at what the operator puts into the place of a database file that was lost or damaged. Wrong decisions here destroy databases: a write-ahead log
 * is taken for that of any file beside it, and two connections that take each other's side files for their own write over each other.
 */
export class Replacement {
  private lastSight = '';
  private damagedSight: string | undefined;

  constructor(
    private readonly path: string,
    private readonly options: ReplaceableOptions,
  ) {}

  /**
   * Not to be tried again until the file itself has changed. That its log has is no sign of a backup: the operator may remove the log first, and a
   * command may write to it.
   */
  markDamaged(): void {
    this.damagedSight ??= sightOf(this.path);
  }

  get isDamaged(): boolean {
    return this.damagedSight !== undefined;
  }

  /** Whether what is there may be tried: whoever puts it there may not be done yet. To be called every second. */
  isReady(): boolean {
    const sight = sightOf(this.path);
    const sightOfAll = `${sight} ${sightOf(`${this.path}-wal`)}`;
    const isStill = sightOfAll === this.lastSight;
    this.lastSight = sightOfAll;
    return isStill && sight !== this.damagedSight;
  }

  /** @throws Error, for the operator, if the file that is open cannot be let go for what is there. */
  requireReplaceable(file: AttachedFile | undefined): void {
    const fault = file?.isAtPath === true && !this.isDamaged ? this.faultOfSame(file) : this.faultOfOther(file);
    if (fault !== undefined) throw new Error(fault);
  }

  /** @throws Error, for the operator, if what is there cannot be served. */
  open(): Database.Database {
    const { whenLost } = this.options;
    const creates = whenLost === 'recreate' ? 'file' : 'nothing';
    const opened = openDatabase({ ...this.options, creates, startPatienceMs: 0 });
    try {
      if (whenLost !== 'recreate') requireRows(opened, whenLost.awaitRowsIn);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  /** It is served. */
  settle(): void {
    this.damagedSight = undefined;
  }

  private faultOfSame(file: AttachedFile): string | undefined {
    return file.wouldLoseLog ? `its log ${this.options.fileName}-wal is gone, and cannot be brought into it` : undefined;
  }

  private faultOfOther(file: AttachedFile | undefined): string | undefined {
    const { fileName, whenLost, migrations } = this.options;
    if (file?.leavesLogBehind === true) {
      return `${fileName}-wal belongs to the file that was there before; remove it and ${fileName}-shm`;
    }
    if (statOf(this.path) === undefined)
      return whenLost === 'recreate' ? undefined : 'it is gone; put it back, or a backup of it';
    const fault = file?.isAtPath === true ? undefined : faultOfHeader(this.path, migrations.length);
    return fault && unusable(fault);
  }
}

function requireRows(db: Database.Database, table: string): void {
  if (db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined) throw new Error(unusable('it is empty'));
}

function unusable(fault: string): string {
  return `the file in its place cannot be used: ${fault}`;
}
