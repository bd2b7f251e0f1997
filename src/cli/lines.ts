/** One line of a file, without its end. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Cut off behind the first `bytesKept` bytes. */
  readonly bytes: Buffer;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits bytes into lines that end in LF or CR LF, the last one also without. What a line holds is not looked at, so
 * bytes that are no UTF-8 spoil no other line. Lines come in one array per chunk: at millions of lines, waiting for
 * each by itself would cost the most. Of a line that does not end, no more than `bytesKept` bytes are ever held.
 */
export async function* splitLines(
  source: AsyncIterable<Uint8Array>,
  bytesKept: number,
): AsyncGenerator<readonly Line[]> {
  const splitter = new LineSplitter(bytesKept);
  for await (const chunk of source) yield splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  yield splitter.end();
}

class LineSplitter {
  /** The beginning of a line of which the end has not come yet. */
  private begun: Buffer[] = [];
  private begunBytes = 0;
  private number = 0;

  constructor(private readonly bytesKept: number) {}

  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      this.keep(chunk.subarray(start, end));
      lines.push(this.finish());
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
    return lines;
  }

  end(): Line[] {
    return this.begunBytes > 0 ? [this.finish()] : [];
  }

  private keep(bytes: Buffer): void {
    const kept = bytes.subarray(0, this.bytesKept - this.begunBytes);
    if (kept.length === 0) return;
    this.begun.push(kept);
    this.begunBytes += kept.length;
  }

  private finish(): Line {
    const [first = Buffer.alloc(0), ...others] = this.begun;
    const bytes = others.length === 0 ? first : Buffer.concat(this.begun);
    this.begun = [];
    this.begunBytes = 0;
    this.number += 1;
    return { number: this.number, bytes: bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes };
  }
}
