import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { LogOutput } from '#src/observability/log-output.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** A stream whose reader consumes data only when the test calls it. */
class Reader extends Writable {
  readonly received: string[] = [];
  private waiting: (() => void) | undefined;

  constructor(private isReading: boolean) {
    super({ decodeStrings: false });
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.received.push(chunk);
    if (this.isReading) done();
    else this.waiting = done;
  }

  read(): void {
    this.isReading = true;
    this.waiting?.();
  }
}

const kilobyte = `${'x'.repeat(1023)}\n`;

describe('LogOutput', () => {
  const outputTo = (stream: Writable): LogOutput => {
    const output: LogOutput = new LogOutput(stream, (lines) => output.write(`dropped ${String(lines)}\n`));
    return output;
  };

  it('writes the lines of one event-loop tick together and in order', async () => {
    const reader = new Reader(true);
    const output = outputTo(reader);
    for (const line of ['a\n', 'b\n', 'c\n']) output.write(line);
    expect(reader.received).to.deep.equal([]);
    await nextTurn();
    expect(reader.received).to.deep.equal(['a\nb\nc\n']);
    expect(await output.close()).to.equal(true);
    expect(output.dropped).to.equal(0);
  });

  it('buffers a bounded number of lines while they are not read, and counts and reports dropped lines', async () => {
    const reader = new Reader(false);
    const output = outputTo(reader);
    output.write('first\n');
    await nextTurn();
    for (let line = 0; line < 5000; line += 1) output.write(kilobyte);
    expect(output.dropped).to.equal(5000 - 1024);
    reader.read();
    expect(await output.close()).to.equal(true);
    output.write('last\n');
    expect(await output.close()).to.equal(true);
    expect(reader.received.join('')).to.equal(`first\n${kilobyte.repeat(1024)}dropped ${String(5000 - 1024)}\nlast\n`);
    expect(output.dropped).to.equal(5000 - 1024);
  });

  it('waits at most a second for a stopped reader when it is closed', async () => {
    const output = outputTo(new Reader(false));
    output.write('a\n');
    const startedAt = performance.now();
    expect(await output.close()).to.equal(false);
    expect(performance.now() - startedAt).to.be.within(900, 5000);
  });

  it('drops everything after its reader has closed, and closes immediately', async () => {
    const reader = new Reader(true);
    const output = outputTo(reader);
    reader.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    output.write('a\n');
    await nextTurn();
    output.write('b\n');
    output.flush();
    expect(await output.close()).to.equal(true);
    expect({ dropped: output.dropped, received: reader.received }).to.deep.equal({ dropped: 2, received: [] });
  });

  it('flushes its buffer when the process exits', () => {
    const reader = new Reader(true);
    const output = outputTo(reader);
    output.write('a\n');
    output.flush();
    output.flush();
    expect(reader.received).to.deep.equal(['a\n']);
  });

  describe('to a file', () => {
    const toFile = (path: string) => {
      const fd = openSync(path, 'a');
      const stream = Object.assign(new Writable(), { fd });
      return { output: outputTo(stream), end: () => closeSync(fd) };
    };

    it('writes every line', async () => {
      const path = join(temporaryDirectory(), 'log');
      const { output, end } = toFile(path);
      for (let line = 0; line < 500; line += 1) {
        output.write(kilobyte);
        if (line % 100 === 0) await nextTurn();
      }
      expect(await output.close()).to.equal(true);
      end();
      expect(output.dropped).to.equal(0);
      expect(readFileSync(path, 'utf8')).to.equal(kilobyte.repeat(500));
    });

    it('counts lines that a full disk rejects, and continues', async () => {
      expect(statSync('/dev/full').isCharacterDevice()).to.equal(true);
      const { output, end } = toFile('/dev/full');
      output.write('a\nb\n');
      expect(await output.close()).to.equal(true);
      output.write('c\n');
      expect(await output.close()).to.equal(true);
      end();
      expect(output.dropped).to.equal(3);
    });
  });
});
