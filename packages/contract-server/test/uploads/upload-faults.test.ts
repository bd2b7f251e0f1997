import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { fillDisk, freeDisk, mountSmallDisk } from '@contract-server/test-support/mounts.js';
import { type Ending, watchChild } from '@contract-server/test-support/servers/child-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import supertest from 'supertest';

const script = fileURLToPath(new URL('uploads-server.js', import.meta.url));
const folder = `contract-server-uploads-${String(process.getuid?.() ?? '')}`;

interface Server {
  readonly port: number;
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
}

/** Starts the server with a directory for temporary files. */
function spawnServer(directory: string): ChildProcess {
  return spawn(process.execPath, [script], { env: { TMPDIR: directory }, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function startServer(directory: string): Promise<Server> {
  const child = spawnServer(directory);
  const ended = watchChild(child);
  closeLater(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  if (child.stdout === null) throw new Error('The server has no output.');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { port: Number(line), child, ended };
}

const put = ({ port }: Server, size: number) =>
  supertest(`http://127.0.0.1:${String(port)}`)
    .put('/v1/images')
    .set('Content-Type', 'image/png')
    .send(Buffer.alloc(size, 'a'));

/** Sends half of a file, and waits until the server has opened its temporary file. */
async function sendHalf(
  { port, child }: Server,
  before = '',
  file = Buffer.alloc(90_000, 'a'),
): Promise<RawConnection> {
  const coding = file[0] === 0x1f ? 'gzip' : 'identity';
  const length = `Content-Encoding: ${coding}\r\nContent-Length: ${String(file.length)}\r\n\r\n`;
  const head = `PUT /v1/images HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\n${length}`;
  const connection = await RawConnection.openTo({ address: '127.0.0.1', port });
  connection.send(Buffer.concat([Buffer.from(before + head), file.subarray(0, file.length / 2)]));
  const files = `/proc/${String(child.pid)}/fd`;
  while (!readdirSync(files).some((name) => isUpload(join(files, name)))) await new Promise(setImmediate);
  return connection;
}

/** Whether a link of `/proc` leads to a temporary file, whose name was removed. */
function isUpload(link: string): boolean {
  try {
    const path = readlinkSync(link);
    return path.includes(folder) && path.endsWith(' (deleted)');
  } catch {
    return false;
  }
}

describe('temporary files of uploads', () => {
  it('are not left behind by a killed process', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory);
    await sendHalf(server);
    server.child.kill('SIGKILL');
    await server.ended;
    expect(readdirSync(join(directory, folder))).to.deep.equal([]);
  });

  for (const [title, file] of [
    ['a file', undefined],
    ['a file in gzip', gzipSync(randomBytes(90_000))],
  ] as const)
    it(`are closed when a client disconnects that sends ${title}, and the server goes on`, async () => {
      const server = await startServer(temporaryDirectory());
      const connection = await sendHalf(server, '', file);
      connection.end();
      const files = `/proc/${String(server.child.pid)}/fd`;
      while (readdirSync(files).some((name) => isUpload(join(files, name)))) await new Promise(setImmediate);
      await put(server, 1000).expect(200);
    });

  it('are closed for a pipelined request whose client disconnects', async () => {
    const server = await startServer(temporaryDirectory());
    const first = 'PUT /v1/images HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\nbytes';
    const connection = await sendHalf(server, first.repeat(3));
    connection.end();
    const files = `/proc/${String(server.child.pid)}/fd`;
    while (readdirSync(files).some((name) => isUpload(join(files, name)))) await new Promise(setImmediate);
  });

  it('do not end the process if the client disconnects after it has sent a whole file', async () => {
    const server = await startServer(temporaryDirectory());
    const size = 90_000;
    const head = `PUT /v1/images HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nContent-Length: ${String(size)}\r\n\r\n`;
    for (let count = 0; count < 40; count += 1) {
      const connection = await RawConnection.openTo({ address: '127.0.0.1', port: server.port });
      connection.send(head + 'a'.repeat(size));
      connection.end();
    }
    await put(server, 1000).expect(200);
    expect(server.child.exitCode).to.equal(null);
  });

  it('whose process was killed before it removed their names are deleted at the next start', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, folder), { mode: 0o700 });
    writeFileSync(join(directory, folder, 'left'), 'a');
    await startServer(directory);
    expect(readdirSync(join(directory, folder))).to.deep.equal([]);
  });

  it('are not stored behind a link: the server does not start', async () => {
    const directory = temporaryDirectory();
    symlinkSync(temporaryDirectory(), join(directory, folder));
    const child = spawnServer(directory);
    const ended = watchChild(child);
    if (child.stderr === null) throw new Error('The server has no output.');
    expect(await text(child.stderr)).to.include(
      `Cannot store uploaded files in ${join(directory, folder)}: it is a link, or belongs to another user. ` +
        'Set TMPDIR to another directory.',
    );
    expect((await ended).code).to.equal(1);
  });

  it('that do not fit on the disk are a 503, with the reason in the log', async function () {
    const directory = mountSmallDisk(this, 64 * 1024);
    const server = await startServer(directory);
    const log: string[] = [];
    server.child.stderr?.on('data', (chunk: Buffer) => log.push(chunk.toString()));
    fillDisk(directory);
    const response = await put(server, 90_000).expect(503);
    expect(response.body).to.include({ code: 'store_unavailable', status: 503 });
    freeDisk(directory);
    await put(server, 1000).expect(200);
    expect(log.join('')).to.include('An uploaded file cannot be stored').and.to.include('ENOSPC');
    // There is space for half of the file.
    await put(server, 90_000).expect(503);
    rmSync(join(directory, folder), { recursive: true });
    await put(server, 1000).expect(200);
  });
});
