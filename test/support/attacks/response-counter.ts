const headEnd = '\r\n\r\n';

/**
 * Finds the responses in what a connection receives, without keeping their bodies. Every response must have a
 * Content-Length.
 */
export class ResponseCounter {
  private head = '';
  private bodyBytesLeft = 0;
  private status = 0;

  constructor(private readonly onResponse: (status: number) => void) {}

  add(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.bodyBytesLeft > 0) at += this.skipBody(chunk.length - at);
      else at = this.readHead(chunk, at);
    }
  }

  private skipBody(bytes: number): number {
    const skipped = Math.min(bytes, this.bodyBytesLeft);
    this.bodyBytesLeft -= skipped;
    if (this.bodyBytesLeft === 0) this.onResponse(this.status);
    return skipped;
  }

  /** Returns where the head ends in the chunk. */
  private readHead(chunk: Buffer, at: number): number {
    const before = this.head.length;
    this.head += chunk.toString('latin1', at);
    const end = this.head.indexOf(headEnd);
    if (end < 0) return chunk.length;
    const head = this.head.slice(0, end);
    this.head = '';
    this.status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.bodyBytesLeft = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (this.bodyBytesLeft === 0) this.onResponse(this.status);
    return at + end + headEnd.length - before;
  }
}
