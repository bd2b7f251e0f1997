import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { ServerProcess } from '../support/servers/server-process.js';

const run = promisify(execFile);

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('the permissions of the data', function () {
  // A test starts the service up to six times.
  this.timeout(60_000);
  let directory: string;
  beforeEach(() => (directory = temporaryDirectory()));

  it('are those of its owner only in the directory and the files that a start creates, whatever the umask', async () => {
    const data = join(directory, 'parent', 'data');
    const server = await ServerProcess.start({ DATA_DIR: data }, { setUp: 'umask 0' });
    const names = readdirSync(data);
    expect(names).to.include.members(['petstore.db', 'petstore.db-wal', 'server.lock']);
    expect(names.map((name) => [name, modeOf(join(data, name))])).to.deep.equal(names.map((name) => [name, '600']));
    expect([modeOf(join(directory, 'parent')), modeOf(data)]).to.deep.equal(['700', '700']);
    await server.stop();
    expect(server.alarms).to.deep.equal([]);
  });

  it('are a warning at the start if other users can read or replace the data, with a command that fixes them', async () => {
    await (await ServerProcess.start({ DATA_DIR: directory })).stop();
    const file = join(directory, 'petstore.db');
    for (const [mode, fileMode] of [
      [0o770, 0o600],
      [0o702, 0o600],
      [0o711, 0o644],
      [0o710, 0o640],
      [0o701, 0o602],
    ] as const) {
      chmodSync(directory, mode);
      chmodSync(file, fileMode);
      const server = await ServerProcess.start({ DATA_DIR: directory });
      await server.stop();
      expect(server.alarms.map(({ code }) => code)).to.deep.equal(['data_open_to_other_users']);
      const printed = /^Warning: data_open_to_other_users: other users .+\. Run (chmod .+)$/m.exec(server.stderr);
      await run('bash', ['-c', printed?.[1] ?? '']);
      expect([modeOf(directory), modeOf(file)]).to.deep.equal(['700', '600']);
    }
  });

  it('are no warning if other users cannot reach the data', async () => {
    await (await ServerProcess.start({ DATA_DIR: directory })).stop();
    for (const [mode, fileMode] of [
      [0o755, 0o600],
      [0o700, 0o644],
      [0o701, 0o660],
      [0o744, 0o644],
    ] as const) {
      chmodSync(directory, mode);
      chmodSync(join(directory, 'petstore.db'), fileMode);
      const server = await ServerProcess.start({ DATA_DIR: directory });
      await server.stop();
      expect(server.alarms).to.deep.equal([]);
    }
  });
});
