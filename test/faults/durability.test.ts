import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { OutageClient } from '../support/clients/outage-client.js';
import { describeUnless, reasonToSkipWithout } from '../support/requirements.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/**
 * The system calls of a process while `work` runs: its writes and syncs, each with the file or connection that
 * it is for.
 */
async function trace(pid: number, work: () => Promise<unknown>): Promise<string[]> {
  const file = join(temporaryDirectory(), 'trace');
  const calls = 'trace=write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync';
  const strace = spawn('strace', ['-f', '-yy', '-s', '40', '-e', calls, '-o', file, '-p', String(pid)]);
  const ended = once(strace, 'close');
  // strace prints this when it is attached.
  while (!/attached/.test(String((await once(strace.stderr, 'data'))[0])));
  await work();
  strace.kill('SIGINT');
  await ended;
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  // The event loop is the first thread; no other one writes to the database or responds.
  return lines
    .filter((line) => line.startsWith(`${String(pid)} `))
    .map((line) => line.slice(String(pid).length).trim());
}

describeUnless(reasonToSkipWithout('strace'), 'a creation', () => {
  it('is synced to disk before its 201 is sent (prints the system calls)', async function () {
    this.timeout(30_000);
    const directory = temporaryDirectory();
    const server = await ServerProcess.start({ DATA_DIR: directory });
    const client = new OutageClient(server.baseUrl, await createUnlimitedKey(directory));
    // The key is looked up and the connection is open.
    await client.createMany(1);
    const calls = await trace(server.pid, () => client.createMany(1));
    await server.stop();
    console.log(calls.map((call) => `      ${call.replaceAll(directory, '…')}`).join('\n'));

    const last = (pattern: RegExp) => calls.findLastIndex((call) => pattern.test(call));
    const first = (pattern: RegExp) => calls.findIndex((call) => pattern.test(call));
    const completed = first(/^(write|writev|sendto|sendmsg)\(.*"HTTP\/1\.1 201/);
    const written = last(/^pwrite64\(.*petstore\.db-wal>/);
    const synced = last(/^(fdatasync|fsync)\(.*petstore\.db-wal>\) += 0$/);
    expect(written, 'the pet is written').to.be.at.least(0);
    expect(synced, 'the log is synced').to.be.above(written);
    expect(completed, 'the response is sent').to.be.above(synced);
  });
});
