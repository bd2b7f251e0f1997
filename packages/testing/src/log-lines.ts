import { once } from 'node:events';
import { Writable } from 'node:stream';

/** A line of the log: `level`, `time`, `msg`, and the fields of the event. */
export type LogLine = Readonly<Record<string, unknown>>;

/** Keeps the log of a service for tests. */
export class LogLines extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
    this.emit('lines');
  }

  get lines(): LogLine[] {
    return parseLines(this.text);
  }

  /** Resolves with the first `count` lines that match, when they have been written. */
  async first(count: number, isWanted: (line: LogLine) => boolean): Promise<LogLine[]> {
    for (;;) {
      // The last line may be incomplete until more is written.
      const wanted = parseLines(this.text.slice(0, this.text.lastIndexOf('\n') + 1)).filter(isWanted);
      if (wanted.length >= count) return wanted.slice(0, count);
      await once(this, 'lines');
    }
  }

  /** Resolves with the line of a request, which is written after its response was sent. */
  async ofRequest(requestId: unknown): Promise<LogLine> {
    const [line] = await this.first(1, (line) => line['msg'] === 'request' && line['requestId'] === requestId);
    return line ?? {};
  }
}

/** @throws if a line is not a complete JSON object. */
export function parseLines(text: string): LogLine[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('The last line has no end.');
  return lines.map((line) => JSON.parse(line) as LogLine);
}
