import { LogLines } from '@contract-server/test-support/log-lines.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { expect } from 'chai';
import type { LevelWithSilent, Logger } from 'pino';
import { openLog, stderrLogger } from '#src/log/log.js';

/** Returns what a log at this level contains after some lines were written. */
async function logged(level: LevelWithSilent, write: (logger: Logger) => void): Promise<LogLines> {
  const destination = new LogLines();
  const redactor = { redact: (text: string) => text.replaceAll('secret', '…') };
  const log = openLog({ level, destination, clock: () => startOfTests, redactor });
  write(log.logger);
  await log.close();
  return destination;
}

describe('the log', () => {
  it('has one line of JSON per event, with the name of its level and its time', async () => {
    const { text } = await logged('info', (logger) => {
      logger.info({ version: '1.0.0', absent: undefined }, 'started');
      logger.warn('careful');
    });
    expect(text).to.equal(
      '{"level":"info","time":"2026-11-20T12:00:00.000Z","version":"1.0.0","msg":"started"}\n' +
        '{"level":"warn","time":"2026-11-20T12:00:00.000Z","msg":"careful"}\n',
    );
  });

  const levels = ['debug', 'info', 'warn', 'error'] as const;
  for (const [level, shown] of [
    ['debug', levels],
    ['warn', ['warn', 'error']],
    ['silent', []],
  ] as const)
    it(`omits lines below its level: ${level}`, async () => {
      const { lines } = await logged(level, (logger) => levels.forEach((each) => logger[each](each)));
      expect(lines.map(({ msg }) => msg)).to.deep.equal(shown);
    });

  it('contains the stack and all causes of an error', async () => {
    const cause = Object.assign(new RangeError('disk full'), { code: 'SQLITE_FULL' });
    const { lines } = await logged('info', (logger) => logger.error({ err: new Error('not stored', { cause }) }, 'x'));
    const { err } = lines[0] as { err: Record<string, unknown> & { cause: Record<string, unknown> } };
    expect(err).to.include({ type: 'Error', message: 'not stored' });
    expect(err['stack']).to.match(/^Error: not stored\n {4}at /);
    expect(err.cause).to.include({ type: 'RangeError', message: 'disk full', code: 'SQLITE_FULL' });
    expect(err.cause['stack']).to.match(/^RangeError: disk full\n {4}at /);
  });

  it('contains no control characters, escape sequences, line separators, direction marks or secrets', async () => {
    const unsafe = 'a\n{"b"\r\t\u0000\u001b[31m\u007f\u009b31m\u2028\u2029\u202e\u2066\ud800"\\ é 🐕 secret';
    const values = { [unsafe]: unsafe, list: [unsafe], err: new Error(unsafe, { cause: unsafe }) };
    const { text, lines } = await logged('info', (logger) => logger.info(values, unsafe));
    expect(text).to.match(/^[\x20-\x7eé🐕…]+\n$/u);
    expect(text).to.not.include('secret');
    const safe = unsafe.replace('secret', '…');
    expect(lines[0]).to.deep.include({ msg: safe, list: [safe] });
  });

  it('keeps its escapes where the destination prints the values of a line, as on a terminal', async () => {
    const destination = new LogLines();
    const log = openLog({
      level: 'info',
      destination,
      clock: () => 0,
      redactor: { redact: (text) => text },
      isParsed: true,
    });
    log.logger.info('a\u001b[31m\\u001b\u202e "\n##[error]');
    await log.close();
    expect(destination.lines[0]?.msg).to.equal(`a\\u001b[31m\\u001b\\u202e "\n#\\u0023[error]`);
  });

  it('is printable too where an application passes no logger', () => {
    const destination = new LogLines();
    stderrLogger(destination).error({ path: '/\u009b31m\u202e\u2028' }, 'a\nb');
    expect(destination.text)
      .to.contain('"path":"/\\u009b31m\\u202e\\u2028"')
      .and.match(/"msg":"a\\nb"}\n$/);
  });
});
