import { expect } from 'chai';
import type { LevelWithSilent } from 'pino';
import { openLog } from '#src/observability/log.js';
import { LogLines } from '../support/log-lines.js';
import { startOfTests } from '../support/service.js';

describe('the log', () => {
  let stream: LogLines;
  beforeEach(() => (stream = new LogLines()));
  const open = (level: LevelWithSilent) =>
    openLog({ level, stream, clock: () => startOfTests, redact: (text) => text.replaceAll('secret', '…') });

  it('has one line of JSON for each thing, with its level by name and its time', async () => {
    const { log, output } = open('info');
    log.info({ version: '1.0.0', absent: undefined }, 'started');
    log.warn('careful');
    await output.close();
    expect(stream.text).to.equal(
      '{"level":"info","time":"2026-11-20T12:00:00.000Z","version":"1.0.0","msg":"started"}\n' +
        '{"level":"warn","time":"2026-11-20T12:00:00.000Z","msg":"careful"}\n',
    );
  });

  it('leaves out what is below its level', async () => {
    for (const [level, shown] of [
      ['debug', ['debug', 'info', 'warn', 'error']],
      ['warn', ['warn', 'error']],
      ['silent', []],
    ] as const) {
      stream = new LogLines();
      const { log, output } = open(level);
      for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each](each);
      await output.close();
      expect(
        stream.lines.map(({ msg }) => msg),
        level,
      ).to.deep.equal(shown);
    }
  });

  it('shows an error with its stack and everything that caused it', async () => {
    const { log, output } = open('info');
    const cause = Object.assign(new RangeError('disk full'), { code: 'SQLITE_FULL' });
    log.error({ err: new Error('not stored', { cause }) }, 'defect');
    await output.close();
    const { err } = stream.lines[0] as { err: Record<string, unknown> & { cause: Record<string, unknown> } };
    expect(err).to.include({ type: 'Error', message: 'not stored' });
    expect(err['stack']).to.match(/^Error: not stored\n {4}at /);
    expect(err.cause).to.include({ type: 'RangeError', message: 'disk full', code: 'SQLITE_FULL' });
    expect(err.cause['stack']).to.match(/^RangeError: disk full\n {4}at /);
  });

  it('is printable whatever it is given: no control, escape sequence, line separator or mark of direction, and no secret', async () => {
    const { log, output } = open('info');
    const evil = 'a\n{"b"\r\t\u0000\u001b[31m\u007f\u009b31m\u2028\u2029\u202e\u2066\ud800"\\ é 🐕 secret';
    log.info({ [evil]: evil, list: [evil], err: new Error(evil, { cause: evil }) }, evil);
    await output.close();
    expect(stream.text)
      .to.match(/^[\x20-\x7eé🐕…]+\n$/u)
      .and.not.include('secret');
    const [line = {}] = stream.lines;
    expect(line['msg']).to.equal(evil.replace('secret', '…'));
    expect(line['list']).to.deep.equal([evil.replace('secret', '…')]);
  });
});
