import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startCommand, toys } from '@contract-server/test-support/cli/toys.js';
import { ToysProcess } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

const run = promisify(execFile);

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** The warnings of a start with these modes of the directory and the database, as it prints them. */
async function warningsOf(mode: number, fileMode: number) {
  const directory = temporaryDirectory();
  await toys(['migrate'], { directory });
  const file = join(directory, 'toys.db');
  chmodSync(directory, mode);
  chmodSync(file, fileMode);
  const { stderr } = await (await startCommand(['serve'], { directory })).stop();
  return { directory, file, warnings: stderr.split('\n').filter((line) => line.startsWith('Warning: ')) };
}

describe('the permissions of the data', () => {
  it('are those of its owner only in the directory and the files that a start creates, whatever the umask', async () => {
    const directory = temporaryDirectory();
    const data = join(directory, 'parent', 'data');
    const server = await ToysProcess.start({ DATA_DIR: data }, { setUp: 'umask 0' });
    const names = readdirSync(data);
    expect(names).to.include.members(['toys.db', 'toys.db-wal', 'server.lock']);
    expect(names.map((name) => [name, modeOf(join(data, name))])).to.deep.equal(names.map((name) => [name, '600']));
    expect([modeOf(join(directory, 'parent')), modeOf(data)]).to.deep.equal(['700', '700']);
    await server.stop();
    expect(server.alarms).to.deep.equal([]);
  });

  it('are a warning at the start if other users can read or replace the data, with a command that fixes them', async () => {
    const rows = [
      [0o770, 0o600],
      [0o702, 0o600],
      [0o711, 0o644],
      [0o710, 0o640],
      [0o701, 0o602],
    ] as const;
    const checkRow = async ([mode, fileMode]: (typeof rows)[number]) => {
      const { directory, file, warnings } = await warningsOf(mode, fileMode);
      expect(warnings).to.have.lengthOf(1);
      const printed = /^Warning: data_open_to_other_users: other users .+\. Run (chmod .+)$/.exec(warnings.join());
      await run('bash', ['-c', printed?.[1] ?? '']);
      expect([modeOf(directory), modeOf(file)]).to.deep.equal(['700', '600']);
    };
    await Promise.all(rows.map(checkRow));
  });

  it('are no warning if other users cannot reach the data', async () => {
    const rows = [
      [0o755, 0o600],
      [0o700, 0o644],
      [0o701, 0o660],
      [0o744, 0o644],
    ] as const;
    const found = await Promise.all(rows.map(async ([mode, fileMode]) => (await warningsOf(mode, fileMode)).warnings));
    expect(found).to.deep.equal([[], [], [], []]);
  });
});
