import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

/**
 * Starts a server that cannot start: it ends with 1 and one message, without a stack, and never prints that it is
 * listening.
 */
async function errorMessageOf(env: Readonly<Record<string, string>>, code = 1, setUp?: string): Promise<string> {
  const server = new ServerProcess(env, 'pipe', setUp);
  expect(await server.ended).to.deep.equal({ code, signal: null });
  expect(server.stdout).to.equal('');
  expect(server.stderr).to.not.match(/^\s+at |node:|Error:/m);
  return server.stderr;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('the server command', () => {
  let directory: string;
  beforeEach(() => (directory = temporaryDirectory()));

  it('prints a key and a working curl command at the first start only', async () => {
    const first = await ServerProcess.start({ DATA_DIR: directory });
    await first.waitForStderr(/curl .+\n/);
    expect(first.stderr).to.match(/^Pet Store 1\.0\.0 is at http:\/\/127\.0\.0\.1:\d+\/v1\n/);
    expect(first.firstKey).to.match(/^pets_live_[0-9A-Za-z]{36}$/);
    const curl = await run('bash', ['-c', `${String(first.curlLine)} --silent --show-error --fail`]);
    expect(curl.stdout).to.equal('[]');
    expect(await first.stop()).to.deep.equal({ code: 0, signal: null });
    expect(first.alarms).to.deep.equal([]);

    const second = await ServerProcess.start({ DATA_DIR: directory });
    const headers = { authorization: `Bearer ${String(first.firstKey)}` };
    expect((await fetch(`${second.baseUrl}/pets`, { headers })).status).to.equal(200);
    await second.stop();
    expect(second.firstKey).to.equal(undefined);
  });

  it('stores the data in DATA_DIR, relative to the working directory', async () => {
    const server = await ServerProcess.start({ DATA_DIR: join(directory, 'below', 'data') });
    await server.stop();
    expect(server.stderr).to.contain(join(directory, 'below', 'data'));
    expect(
      readFileSync(join(directory, 'below', 'data', 'petstore.db'))
        .subarray(0, 15)
        .toString(),
    ).to.equal('SQLite format 3');
  });

  it('stops on SIGINT as on SIGTERM', async () => {
    const server = await ServerProcess.start({ DATA_DIR: directory });
    server.kill('SIGINT');
    expect(await server.ended).to.deep.equal({ code: 0, signal: null });
  });

  it('prefers options to environment variables, and these to the file of --env-file', async () => {
    const file = join(temporaryDirectory(), 'settings.env');
    writeFileSync(file, 'PORT=http\nHOST=192.0.2.1\nLOG_LEVEL=silent\nMAX_CONNECTIONS=99\n');
    const options = ['--env-file', file, '--host', '127.0.0.1', '--port', '0'];
    const env = { DATA_DIR: temporaryDirectory(), PORT: '1', LOG_LEVEL: 'info' };
    const server = await ServerProcess.start(env, 'pipe', undefined, options);
    expect(server.baseUrl).to.match(/^http:\/\/127\.0\.0\.1:\d{4,}\/v1$/);
    await server.stop();
    expect(server.stdout).to.contain('"msg":"started"');
  });

  it('creates no key with --no-first-key', async () => {
    const env = { DATA_DIR: directory, DRAIN_TIMEOUT_SECONDS: '0' };
    const server = await ServerProcess.start(env, 'pipe', undefined, ['--no-first-key']);
    await server.stop();
    expect(server.stderr).to.not.contain('API key');
  });

  it('exits with 2 for an invalid option', async () => {
    const server = new ServerProcess({}, 'pipe', undefined, ['--port', 'http']);
    expect(await server.ended).to.deep.equal({ code: 2, signal: null });
    expect(server.stderr).to.contain("option '--port <port>' argument 'http' is invalid;");
  });

  it('warns about a variable whose name resembles a setting', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory(), PROT: '8081' });
    await server.stop();
    expect(server.stderr).to.contain('Warning: unknown_setting: PROT is not a setting. Did you mean PORT?');
  });

  it('prints the URL of the API reference', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    const [, url = ''] = /^ {2}Reference (\S+)$/m.exec(server.stderr) ?? [];
    expect((await fetch(url)).headers.get('content-type')).to.equal('text/html; charset=utf-8');
    await server.stop();
  });

  it('writes a log for people to a terminal, one line for each request', async () => {
    const env = { ...process.env, DATA_DIR: temporaryDirectory(), PORT: '0' };
    const command = `${process.execPath} ${fileURLToPath(import.meta.resolve('#src/main.js'))}`;
    // `script` (util-linux) runs the command on a terminal.
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    let printed = '';
    terminal.stdout.on('data', (text: Buffer) => (printed += text.toString()));
    const until = async (pattern: RegExp) => {
      for (;;) {
        const match = pattern.exec(printed);
        if (match !== null) return match;
        await once(terminal.stdout, 'data');
      }
    };
    const [, baseUrl = ''] = await until(/ is at (http\S+)\r\n/);
    await fetch(`${baseUrl}/pets`);
    // Without colours.
    await until(/\] \S*INFO\S*: \S*request GET listPets 401 [\d.]+ ms/);
    terminal.stdin.write('\x03');
    await once(terminal, 'close');
    expect(printed).to.match(/stopped/);
  });

  it('warns when other machines cannot use its links', async () => {
    const server = await ServerProcess.start({ DATA_DIR: directory, HOST: '0.0.0.0' });
    await server.stop();
    expect(server.stderr).to.match(/\nWarning: public_base_url_unset: .* Set PUBLIC_BASE_URL\.\n$/);
  });

  it('creates the data directory and its files with access for their owner only, whatever the umask', async () => {
    const data = join(directory, 'parent', 'data');
    const server = await ServerProcess.start({ DATA_DIR: data }, 'pipe', 'umask 0');
    const names = readdirSync(data);
    expect(names).to.include.members(['petstore.db', 'petstore.db-wal', 'server.lock']);
    expect(names.map((name) => [name, modeOf(join(data, name))])).to.deep.equal(names.map((name) => [name, '600']));
    expect([modeOf(join(directory, 'parent')), modeOf(data)]).to.deep.equal(['700', '700']);
    await server.stop();
    expect(server.alarms).to.deep.equal([]);
  });

  it('warns about data that other users can read, with a command that fixes it', async () => {
    await (await ServerProcess.start({ DATA_DIR: directory })).stop();
    for (const mode of [0o755, 0o711, 0o770]) {
      chmodSync(directory, mode);
      const server = await ServerProcess.start({ DATA_DIR: directory });
      await server.stop();
      expect(server.alarms.map(({ code }) => code)).to.deep.equal(['data_open_to_other_users']);
      const [, command = ''] =
        /^Warning: data_open_to_other_users: other users .+\. Run (chmod .+)$/m.exec(server.stderr) ?? [];
      await run('bash', ['-c', command]);
    }
    const cured = await ServerProcess.start({ DATA_DIR: directory });
    await cured.stop();
    expect(cured.alarms).to.deep.equal([]);
  });

  it('warns when MAX_CONNECTIONS exceeds the limit of file descriptors', async () => {
    const env = { DATA_DIR: directory, MAX_CONNECTIONS: '1000' };
    const server = await ServerProcess.start(env, 'pipe', 'ulimit -n 1099');
    await server.stop();
    expect(server.alarms).to.have.lengthOf(1);
    expect(server.alarms[0]).to.include({
      code: 'file_descriptor_limit',
      msg:
        'MAX_CONNECTIONS is 1000, but the process may open 1099 files. Raise that limit (ulimit -n) to 1100, or set ' +
        'MAX_CONNECTIONS to at most 999.',
    });
    const raised = await ServerProcess.start(env, 'pipe', 'ulimit -n 1100');
    await raised.stop();
    expect(raised.alarms).to.deep.equal([]);
  });

  describe('exits with one clear message', () => {
    it('when the configuration is invalid, with every invalid setting', async () => {
      expect(await errorMessageOf({ DATA_DIR: directory, PORT: 'http', HOST: 'example' }, 2)).to.equal(
        'error: HOST=example is invalid; it must be an IP address, or localhost\n' +
          'error: PORT=http is invalid; it must be an integer from 0 to 65535\n',
      );
    });

    it('when the port is in use, without creating the first key', async () => {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const port = String((holder.address() as AddressInfo).port);
      expect(await errorMessageOf({ DATA_DIR: directory, PORT: port })).to.equal(
        `error: cannot listen on 127.0.0.1 port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}; ` +
          'see HOST and PORT\n',
      );
      holder.close();
      const server = await ServerProcess.start({ DATA_DIR: directory });
      await server.waitForStderr(/curl .+\n/);
      await server.stop();
    });

    it('when another server uses the directory, but not after that was killed', async () => {
      const first = await ServerProcess.start({ DATA_DIR: directory });
      expect(await errorMessageOf({ DATA_DIR: directory })).to.equal(
        `error: another petstore server uses ${directory}/; stop it, or set DATA_DIR to another directory\n`,
      );
      first.kill('SIGKILL');
      await first.ended;
      const next = await ServerProcess.start({ DATA_DIR: directory });
      await next.stop();
    });

    it('when two servers start in an empty directory at the same time: one of them, immediately', async () => {
      for (let round = 0; round < 4; round += 1) {
        const fresh = join(directory, String(round));
        const servers = [new ServerProcess({ DATA_DIR: fresh }), new ServerProcess({ DATA_DIR: fresh })];
        const startedAt = performance.now();
        const loser = await Promise.race(servers.map((server) => server.ended.then(() => server)));
        expect(performance.now() - startedAt).to.be.below(8000);
        expect(loser.stderr).to.match(
          /^error: another petstore server .*uses .*; stop it, or set DATA_DIR to another directory\n$/,
        );
        const [winner] = servers.filter((server) => server !== loser);
        await winner?.listening();
        expect(await winner?.stop()).to.deep.equal({ code: 0, signal: null });
      }
    });

    it('when a newer release has written the database, which stays unchanged', async () => {
      await (await ServerProcess.start({ DATA_DIR: directory })).stop();
      const file = join(directory, 'petstore.db');
      const db = new Database(file);
      db.exec(`INSERT INTO service_migrations VALUES (98, 'contraction', 99)`);
      db.close();
      const bytes = readFileSync(file);
      expect(await errorMessageOf({ DATA_DIR: directory })).to.match(
        / has migration 98, which requires a release with migration 99\b.*start a newer release\n$/,
      );
      expect(readFileSync(file).equals(bytes)).to.equal(true);
    });

    it('when the working directory was deleted', async () => {
      const setUp = `cd ${directory} && mkdir deleted && cd deleted && rmdir ../deleted`;
      expect(await errorMessageOf({ DATA_DIR: directory }, 1, setUp)).to.equal(
        'error: the working directory was deleted; start from another one\n',
      );
    });

    it('when the data directory cannot be created', async () => {
      const file = join(directory, 'file');
      writeFileSync(file, '');
      expect(await errorMessageOf({ DATA_DIR: file })).to.match(/^error: cannot create DATA_DIR .*: .*\n$/);
    });
  });
});
