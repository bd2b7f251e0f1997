import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless, reasonToSkipWithout } from '@contract-server/test-support/requirements.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { EmbeddedServer } from '../support/servers/embedded-server.js';

/** The writes and syncs of the event loop of a process while `work` runs, each with its file or connection. */
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
  return lines.filter((line) => line.startsWith(`${String(pid)} `)).map((line) => line.replace(/^\d+ +/, ''));
}

describeUnless(reasonToSkipWithout('strace'), 'a creation', () => {
  it('is synced to disk before its 201 is sent', async function () {
    this.timeout(30_000);
    const { process, client } = await EmbeddedServer.start(temporaryDirectory());
    const calls = await trace(process.pid, () => client.createMany(1));
    const written = calls.findLastIndex((call) => /^pwrite64\(.*petstore\.db-wal>/.test(call));
    const synced = calls.findLastIndex((call) => /^(fdatasync|fsync)\(.*petstore\.db-wal>\) += 0$/.test(call));
    const sent = calls.findIndex((call) => /^(write|writev|sendto|sendmsg)\(.*"HTTP\/1\.1 201/.test(call));
    expect([written >= 0, written < synced, synced < sent], calls.join('\n')).to.deep.equal([true, true, true]);
  });
});
