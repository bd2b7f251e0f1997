import { expect } from 'chai';
import { keysCommands, petstore, TextOutput } from '../../support/cli/command-line.js';
import { corruptDatabase } from '../../support/fault-injection.js';

describe('petstore keys with invalid arguments', () => {
  const { options, keys, create, list } = keysCommands();

  const when = 'Specify a date like 2027-01-31, a time like 2027-01-31T18:00:00Z, or a duration from now like 30d.';
  const duration = 'Specify a duration of at most 100 years, like 30m, 24h or 7d.';
  const count = 'Specify an integer from 1 to 999999999999999.';
  const usage: readonly [args: string, message: string][] = [
    ['create --plan free', "error: required option '--name <name>' not specified"],
    ['create --name a', "error: required option '--plan <plan>' not specified"],
    [
      'create --name _ --plan free',
      "error: option '--name <name>' argument ' ' is invalid. Specify a name of at most 100 characters that is not blank.",
    ],
    [
      'create --name a --plan gold',
      "error: option '--plan <plan>' argument 'gold' is invalid. Allowed choices are free, pro, business, enterprise.",
    ],
    [
      'create --name a --plan free --expires soon',
      `error: option '--expires <when>' argument 'soon' is invalid. ${when}`,
    ],
    ['update key_1 --expires 2027-02-30', `error: option '--expires <when>' argument '2027-02-30' is invalid. ${when}`],
    ['rotate key_1 --overlap 24', `error: option '--overlap <duration>' argument '24' is invalid. ${duration}`],
    ['create --name a --plan enterprise --per-minute 5', 'error: Give --per-minute and --per-day together.'],
    ['update key_1 --per-day 5', 'error: Give --per-minute and --per-day together.'],
    [
      'create --name a --plan pro --per-minute 0',
      `error: option '--per-minute <count>' argument '0' is invalid. ${count}`,
    ],
    [
      'create --name a --plan pro --per-day 1e3',
      `error: option '--per-day <count>' argument '1e3' is invalid. ${count}`,
    ],
    [
      'update key_1 --per-minute 5 --per-day 1000000000000000',
      `error: option '--per-day <count>' argument '1000000000000000' is invalid. ${count}`,
    ],
    ['update key_1', 'error: Specify at least one change: see `petstore keys update --help`.'],
    ['show', "error: missing required argument 'id'"],
    ['revoke', "error: missing required argument 'id'"],
    ['list all', "error: too many arguments for 'list'. Expected 0 arguments but got 1."],
  ];
  for (const [args, message] of usage) {
    it(`exits with 2 and prints one sentence for \`keys ${args}\``, async () => {
      const run = await keys(...args.split(' ').map((arg) => (arg === '_' ? ' ' : arg)));
      expect(run).to.deep.equal({ exitCode: 2, stdout: '', stderr: `${message}\n` });
    });
  }

  it('rejects a name that does not fit into a table', async () => {
    expect((await keys('create', '--plan', 'free', '--name', 'x'.repeat(101))).exitCode).to.equal(2);
  });

  const failures: readonly [args: string, message: string][] = [
    ['show key_1', 'No key has the id key_1. List the keys with `petstore keys list`.'],
    ['revoke key_1', 'No key has the id key_1. List the keys with `petstore keys list`.'],
    [
      'create --name a --plan enterprise',
      'The plan enterprise has no default limits: specify --per-minute and --per-day.',
    ],
    [
      'create --name a --plan pro --per-minute 5 --per-day 50',
      'The plan pro has its numbers from the contract: leave out --per-minute and --per-day.',
    ],
    [
      'create --name a --plan free --per-minute 5 --per-day 50',
      'The plan free has its numbers from the contract: leave out --per-minute and --per-day.',
    ],
    ['create --name a --plan free --expires 2026-11-20', 'The expiry must be in the future.'],
  ];
  for (const [args, message] of failures) {
    it(`exits with 1 and prints the reason without a stack for \`keys ${args}\``, async () => {
      expect(await keys(...args.split(' '))).to.deep.equal({ exitCode: 1, stdout: '', stderr: `${message}\n` });
      expect(await list()).to.deep.equal([]);
    });
  }

  it('escapes control characters of an argument', async () => {
    for (const args of [
      ['revoke', '\u001b[31mx'],
      ['\u001b[31mx'],
      ['create', '--plan', '\u001b[31mx', '--name', 'a'],
    ]) {
      const { exitCode, stderr } = await keys(...args);
      expect(exitCode).to.be.greaterThan(0);
      expect(stderr).to.include('\\u{1b}[31mx').and.not.include('\u001b');
    }
  });

  it('exits with 1 when the token, which cannot be shown again, is not read', async () => {
    const stdout = new TextOutput();
    stdout.destroy();
    const run = await petstore(['keys', 'create', '--name', 'a', '--plan', 'free'], { ...options, stdout });
    expect(run.exitCode).to.equal(1);
    expect((await petstore(['keys', 'list'], { ...options, stdout })).exitCode).to.equal(0);
  });

  it('exits with 1 and names the file and the time if the database is damaged', async () => {
    await create('--plan', 'free');
    corruptDatabase(options);
    const reason = 'database disk image is malformed';
    expect(await keys('list')).to.deep.equal({
      exitCode: 1,
      stdout: '',
      stderr:
        `petstore.db has been unavailable since 2026-11-20T12:00:00.000Z: ${reason} (SQLITE_CORRUPT).\n` +
        `The store is unavailable: ${reason}.\n`,
    });
  });

  it('does not rotate a revoked key', async () => {
    const { id } = await create('--plan', 'free');
    await keys('revoke', id);
    const message = `The key ${id} is revoked or expired; create another one.\n`;
    expect(await keys('rotate', id)).to.deep.equal({ exitCode: 1, stdout: '', stderr: message });
  });
});
