import { write } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { withTimeout } from '../lib/timeout.js';

/** The destination of the log; `fd` is set for files and terminals. */
export type LogStream = Writable & { readonly fd?: number; readonly isTTY?: boolean };

/** Maximum length of the buffer, in characters. Further lines are dropped. */
const bufferMax = 1024 * 1024;
const closeTimeoutMs = 1000;

/**
 * Writes log lines to a stream whose reader may be slow, stopped or gone. It never blocks: lines are buffered up to a
 * limit; beyond it they are dropped and counted. The lines of one event-loop tick are written together.
 */
export class LogOutput {
  private buffer = '';
  private isSending = false;
  private isScheduled = false;
  private isClosed = false;
  private unreportedCount = 0;
  private droppedCount = 0;
  private onIdle: (() => void) | undefined;
  private readonly fd: number | undefined;

  /** @param onDropped receives the number of dropped lines when lines can be written again. */
  constructor(
    private readonly stream: LogStream,
    private readonly onDropped: (lines: number) => void,
  ) {
    // Node writes to pipes without blocking. Writes to files and terminals would block, so `fs.write` does them in its
    // thread pool.
    const isPipe = stream.isTTY !== true && stream instanceof Socket;
    this.fd = isPipe ? undefined : stream.fd;
    stream.on('error', () => (this.isClosed = true));
  }

  /** The number of dropped lines since the start. */
  get dropped(): number {
    return this.droppedCount;
  }

  write(line: string): void {
    if (this.isClosed || this.buffer.length + line.length > bufferMax) {
      this.drop(1);
      return;
    }
    this.buffer += line;
    if (this.isSending || this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      if (!this.isSending) this.send();
    });
  }

  /** Writes the buffer synchronously, because the process exits. */
  flush(): void {
    if (!this.isClosed && this.buffer !== '') this.stream.write(this.buffer);
    this.buffer = '';
  }

  /** Resolves with `true` when every line has been written, or with `false` after a second. */
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
    if (this.buffer === '') {
      this.onIdle?.();
      return;
    }
    const lines = this.buffer;
    this.buffer = '';
    this.isSending = true;
    const done = (error?: Error | null) => {
      this.isSending = false;
      if (error) this.drop(countLines(lines));
      // The report is a line itself and needs space in the buffer.
      else if (this.unreportedCount > 0 && this.buffer.length < bufferMax / 2) this.reportDropped();
      this.send();
    };
    if (this.isClosed) done(new Error('The stream is closed.'));
    else if (this.fd === undefined) this.stream.write(lines, done);
    else writeAll(this.fd, Buffer.from(lines), done);
  }

  private drop(lines: number): void {
    this.droppedCount += lines;
    this.unreportedCount += lines;
  }

  private reportDropped(): void {
    const lines = this.unreportedCount;
    this.unreportedCount = 0;
    this.onDropped(lines);
  }
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

/** Lines that cannot be written, as on a full disk, are lost; later lines may succeed. */
function writeAll(fd: number, bytes: Buffer, done: (error?: Error | null) => void): void {
  write(fd, bytes, (error, count) => {
    if (error || count === bytes.length) done(error);
    else writeAll(fd, bytes.subarray(count), done);
  });
}
