import { expect } from 'chai';
import type { LevelWithSilent } from 'pino';
import { openLog } from '#src/observability/log.js';
import { LogLines } from '../support/log-lines.js';
import { startOfTests } from '../support/servers/service.js';

describe('the log', () => {
  let stream: LogLines;
  beforeEach(() => (stream = new LogLines()));
  const open = (level: LevelWithSilent) =>
    openLog({
      level,
      destination: stream,
      clock: () => startOfTests,
      redactor: { redact: (text) => text.replaceAll('secret', '…') },
    });

  it('has one line of JSON per event, with the name of its level and its time', async () => {
    const log = open('info');
    log.logger.info({ version: '1.0.0', absent: undefined }, 'started');
    log.logger.warn('careful');
    await log.close();
    expect(stream.text).to.equal(
      '{"level":"info","time":"2026-11-20T12:00:00.000Z","version":"1.0.0","msg":"started"}\n' +
        '{"level":"warn","time":"2026-11-20T12:00:00.000Z","msg":"careful"}\n',
    );
  });

  it('omits lines below its level', async () => {
    for (const [level, shown] of [
      ['debug', ['debug', 'info', 'warn', 'error']],
      ['warn', ['warn', 'error']],
      ['silent', []],
    ] as const) {
      stream = new LogLines();
      const log = open(level);
      for (const each of ['debug', 'info', 'warn', 'error'] as const) log.logger[each](each);
      await log.close();
      expect(
        stream.lines.map(({ msg }) => msg),
        level,
      ).to.deep.equal(shown);
    }
  });

  it('contains the stack and all causes of an error', async () => {
    const log = open('info');
    const cause = Object.assign(new RangeError('disk full'), { code: 'SQLITE_FULL' });
    log.logger.error({ err: new Error('not stored', { cause }) }, 'internal error');
    await log.close();
    const { err } = stream.lines[0] as { err: Record<string, unknown> & { cause: Record<string, unknown> } };
    expect(err).to.include({ type: 'Error', message: 'not stored' });
    expect(err['stack']).to.match(/^Error: not stored\n {4}at /);
    expect(err.cause).to.include({ type: 'RangeError', message: 'disk full', code: 'SQLITE_FULL' });
    expect(err.cause['stack']).to.match(/^RangeError: disk full\n {4}at /);
  });

  it('contains no control characters, escape sequences, line separators, direction marks or secrets', async () => {
    const log = open('info');
    const unsafe = 'a\n{"b"\r\t\u0000\u001b[31m\u007f\u009b31m\u2028\u2029\u202e\u2066\ud800"\\ é 🐕 secret';
    log.logger.info({ [unsafe]: unsafe, list: [unsafe], err: new Error(unsafe, { cause: unsafe }) }, unsafe);
    await log.close();
    expect(stream.text)
      .to.match(/^[\x20-\x7eé🐕…]+\n$/u)
      .and.not.include('secret');
    const [line = {}] = stream.lines;
    expect(line['msg']).to.equal(unsafe.replace('secret', '…'));
    expect(line['list']).to.deep.equal([unsafe.replace('secret', '…')]);
  });
});
