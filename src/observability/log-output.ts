import { write } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { withTimeout } from '../lib/timeout.js';

/** Where log lines go; `fd` where a file or a terminal lies behind it. */
export type LogStream = Writable & { readonly fd?: number; readonly isTTY?: boolean };

/** How many characters of lines may wait to be taken. Beyond, lines are dropped. */
const waitingMax = 1024 * 1024;
/** How long a log that ends waits for its reader, in milliseconds. */
const closeTimeoutMs = 1000;

/**
 * Writes log lines to a stream whose reader may be slow, stopped or gone. It never blocks, and what waits is bounded:
 * lines that nobody takes are dropped and counted, and requests go on. The lines of one turn of the event loop leave
 * together.
 */
export class LogOutput {
  private waiting = '';
  private isSending = false;
  private isScheduled = false;
  private isGone = false;
  private untoldCount = 0;
  private droppedCount = 0;
  private onIdle: (() => void) | undefined;
  private readonly fd: number | undefined;

  /** @param onDropped told how many lines were dropped, once others can be written again. */
  constructor(
    private readonly stream: LogStream,
    private readonly onDropped: (lines: number) => void,
  ) {
    // Node writes to pipes without blocking. To files and terminals it does not: for them the waiting is left to a
    // thread.
    const isPipe = stream.isTTY !== true && stream instanceof Socket;
    this.fd = isPipe ? undefined : stream.fd;
    stream.on('error', () => (this.isGone = true));
  }

  /** How many lines were dropped since the start. */
  get dropped(): number {
    return this.droppedCount;
  }

  write(line: string): void {
    if (this.isGone || this.waiting.length + line.length > waitingMax) {
      this.drop(1);
      return;
    }
    this.waiting += line;
    if (this.isSending || this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      if (!this.isSending) this.send();
    });
  }

  /** Hands over what waits in this very moment: for a process that ends. */
  flush(): void {
    if (!this.isGone && this.waiting !== '') this.stream.write(this.waiting);
    this.waiting = '';
  }

  /** Resolves when every line has been taken, with `true`, or after a second, with `false`. */
  async close(): Promise<boolean> {
    if (!this.isSending) this.send();
    if (!this.isSending) return true;
    const idle = new Promise<void>((resolve) => (this.onIdle = resolve));
    return withTimeout(idle, closeTimeoutMs).then(
      () => true,
      () => false,
    );
  }

  private send(): void {
    if (this.waiting === '') {
      this.onIdle?.();
      return;
    }
    const lines = this.waiting;
    this.waiting = '';
    this.isSending = true;
    const done = (error?: Error | null) => {
      this.isSending = false;
      if (error) this.drop(countLines(lines));
      // Not before there is room for it.
      else if (this.untoldCount > 0 && this.waiting.length < waitingMax / 2) this.tell();
      this.send();
    };
    if (this.isGone) done(new Error('Nobody reads the log.'));
    else if (this.fd === undefined) this.stream.write(lines, done);
    else writeAll(this.fd, Buffer.from(lines), done);
  }

  private drop(lines: number): void {
    this.droppedCount += lines;
    this.untoldCount += lines;
  }

  private tell(): void {
    const lines = this.untoldCount;
    this.untoldCount = 0;
    this.onDropped(lines);
  }
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

/** What a file does not take, as on a full disk, is lost; what comes later may find room again. */
function writeAll(fd: number, bytes: Buffer, done: (error?: Error | null) => void): void {
  write(fd, bytes, (error, count) => {
    if (error || count === bytes.length) done(error);
    else writeAll(fd, bytes.subarray(count), done);
  });
}
