import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withoutMoment } from '@contract-server/test-support/log-lines.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { baseUrlOf, startCommand } from '../support/cli/running-command.js';
import { send } from '../support/clients/send.js';
import { ServerProcess } from '../support/servers/server-process.js';

/** contract-server tests its server command; this proves that `npm start` runs it for the pet store. */
describe('npm start', () => {
  it('prints a key and a working curl command at the first start only, and stops on SIGTERM', async () => {
    const directory = temporaryDirectory();
    const first = await ServerProcess.start({ DATA_DIR: directory });
    await first.waitForStderr(/curl .+\n/);
    expect(first.stderr).to.match(/^Pet Store [\d.]+ is at http:\/\/127\.0\.0\.1:\d+\/v1\n/);
    expect(first.firstKey).to.match(/^pets_live_[0-9A-Za-z]{36}$/);
    const command = `${String(/curl .+$/m.exec(first.stderr))} --silent --show-error --fail`;
    expect((await promisify(execFile)('bash', ['-c', command])).stdout).to.equal('[]');
    await first.stop();
    expect(first.alarms).to.deep.equal([]);
    expect(first.lines.map(withoutMoment).at(-1)).to.deep.equal({ level: 'info', msg: 'stopped' });

    const second = await startCommand(['serve'], { directory });
    expect((await send(`${baseUrlOf(second)}/pets`, String(first.firstKey))).status).to.equal(200);
    expect((await second.stop()).stderr).to.not.contain('curl');
  });
});
