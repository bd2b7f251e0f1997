import { closeSync, constants, fdatasync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fileNames, findIdentity, syncDirectory } from '../../database/data-files.js';
import { OutageLog } from '../../database/outage-log.js';
import type { Clock } from '../../lib/clock.js';
import { StartError, StoreEvent, storeUnavailable } from '../../lib/errors.js';
import type { QuotaState } from '../decide.js';
import { blankLine, lineBytes, readLines, writeLine } from './counter-lines.js';
import { UnbanRequests } from './unban-requests.js';

const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/**
 * The counters of quotas in a file of a server, which is its only writer: lines of JSON with a fixed length, each of
 * which belongs to one quota and is overwritten in place. Writes do not wait for the disk: a crash of the process loses
 * none, a power cut at most those since the last `sync`.
 */
export class CounterFile {
  /** The states at the start. */
  readonly states: ReadonlyMap<string, QuotaState>;
  private readonly path: string;
  private readonly unbans: UnbanRequests;
  private readonly outages: OutageLog;
  private readonly buffer = Buffer.alloc(lineBytes);
  private readonly lines = new Map<string, number>();
  private freeLines: number[] = [];
  private lineCount = 0;
  /** `undefined` while the file cannot be created because the disk is full. */
  private descriptor: number | undefined;
  private identity: string | undefined;
  private syncing: Promise<void> | undefined;
  private isDirty = false;

  /**
   * Opens the file, and creates it if there is none. A full disk does not prevent a start, because the counters are in
   * memory, too. A damaged line is reported, and its quota counts from 0.
   *
   * @throws StartError if it cannot be opened for another reason.
   */
  constructor(
    directory: string,
    clock: Clock,
    private readonly report: (event: unknown) => void,
  ) {
    this.path = join(directory, fileNames.counters);
    this.unbans = new UnbanRequests(directory);
    this.outages = new OutageLog(fileNames.counters, clock, report);
    this.states = this.tryStart(() => this.read()) ?? new Map<string, QuotaState>();
    this.tryStart(() => this.unbans.createFolder());
  }

  /**
   * When it returns, a crash of the process cannot lose the states. On a full disk, quotas that have a line are written
   * although others are not.
   *
   * @throws ApiError `store_unavailable` if a state was not written.
   */
  write(states: ReadonlyMap<string, QuotaState>): void {
    let failure: unknown;
    for (const [id, state] of states) {
      try {
        writeLine(this.buffer, id, state);
        this.writeAt(this.lineOf(id), this.buffer);
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw this.recordOutage(failure);
  }

  /** @throws ApiError `store_unavailable` */
  remove(ids: Iterable<string>): void {
    this.attempt(() => {
      for (const id of ids) {
        const line = this.lines.get(id);
        if (line === undefined) continue;
        this.writeAt(line, blankLine);
        this.lines.delete(id);
        this.freeLines.push(line);
      }
    });
  }

  /** The quotas that operators have unbanned since the last `completeUnbans`. */
  pendingUnbans(): readonly string[] {
    return this.isInPlace() ? this.attempt(() => this.unbans.list()) : [];
  }

  /** Writes the states of unbanned quotas, and deletes the requests. @throws ApiError `store_unavailable` */
  completeUnbans(ids: readonly string[], states: ReadonlyMap<string, QuotaState>): void {
    this.write(states);
    this.attempt(() => {
      for (const id of ids) this.unbans.remove(id);
    });
  }

  /** Syncs the writes to disk, without blocking the event loop. @throws ApiError `store_unavailable` */
  async sync(): Promise<void> {
    if (!this.isDirty || this.descriptor === undefined || this.syncing !== undefined) return;
    this.isDirty = false;
    this.syncing = promisify(fdatasync)(this.descriptor);
    try {
      await this.syncing;
    } catch (error) {
      this.isDirty = true;
      throw this.recordOutage(error);
    } finally {
      this.syncing = undefined;
    }
  }

  /** Checks that the file is in place, and reports the end of an outage. A server calls it every second. */
  check(): void {
    if (this.isInPlace()) this.outages.endIf(() => this.canOpen());
    else this.outages.record('it was moved, deleted or replaced; put it back, or restart the server');
  }

  async close(): Promise<void> {
    await this.syncing?.catch(() => undefined);
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private tryStart<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      if (!fullCodes.includes((error as NodeJS.ErrnoException).code))
        throw new StartError(`${this.path} cannot be opened: ${(error as Error).message}. See DATA_DIR.`);
      this.recordOutage(error);
      return undefined;
    }
  }

  private read(): ReadonlyMap<string, QuotaState> {
    const descriptor = this.requireDescriptor();
    // Reading a named pipe would never end.
    if (!fstatSync(descriptor).isFile()) throw new Error('it is not a regular file');
    const { counters, lineCount, free, damagedCount } = readLines(readFileSync(descriptor));
    if (damagedCount > 0) this.reportDamage(damagedCount);
    for (const [id, { line }] of counters) this.lines.set(id, line);
    this.freeLines = [...free];
    this.lineCount = lineCount;
    return new Map([...counters].map(([id, { state }]) => [id, state]));
  }

  private reportDamage(lines: number): void {
    const text = `Damaged lines in ${fileNames.counters}: ${String(lines)}. The windows of their quotas begin again.`;
    this.report(new StoreEvent('counters lost', text));
  }

  private attempt<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw this.recordOutage(error);
    }
  }

  private recordOutage(error: unknown): unknown {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) return error;
    this.outages.record(fullCodes.includes(code) ? 'the disk is full' : (error as Error).message);
    return storeUnavailable(error);
  }

  private requireDescriptor(): number {
    if (this.descriptor === undefined) {
      this.descriptor = openSync(this.path, constants.O_RDWR | constants.O_CREAT, 0o600);
      this.identity = findIdentity(this.path);
      // A new file is in its directory after a power failure, too.
      syncDirectory(dirname(this.path));
    }
    return this.descriptor;
  }

  private canOpen(): boolean {
    try {
      this.requireDescriptor();
      return true;
    } catch {
      return false;
    }
  }

  private lineOf(id: string): number {
    const known = this.lines.get(id);
    if (known !== undefined) return known;
    const line = this.freeLines.pop() ?? this.lineCount;
    this.lineCount = Math.max(this.lineCount, line + 1);
    this.lines.set(id, line);
    return line;
  }

  private writeAt(line: number, text: Buffer): void {
    const written = writeSync(this.requireDescriptor(), text, 0, lineBytes, line * lineBytes);
    // The rest of the line does not fit on the disk.
    if (written < lineBytes) throw Object.assign(new Error('A line was not written completely.'), { code: 'ENOSPC' });
    this.isDirty = true;
  }

  /** Whether the path still leads to the open file, so that writes exist after a restart. */
  private isInPlace(): boolean {
    return this.descriptor === undefined || findIdentity(this.path) === this.identity;
  }
}
