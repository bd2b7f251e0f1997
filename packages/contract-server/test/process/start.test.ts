import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { failure, TextOutput } from '@contract-server/test-support/cli/command-line.js';
import type { IssuedKeyView } from '@contract-server/test-support/cli/issued-keys.js';
import { baseUrlOf } from '@contract-server/test-support/cli/running-command.js';
import { startCommand, toys, toysJson } from '@contract-server/test-support/cli/toys.js';
import { send } from '@contract-server/test-support/clients/send.js';
import { openBeside } from '@contract-server/test-support/fault-injection.js';
import { listen } from '@contract-server/test-support/servers/listen.js';
import { mainScript, ToysProcess } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

const run = promisify(execFile);

/**
 * Starts a server that cannot start: it ends with 1 and one message, without a stack, and never prints that it is
 * listening, although a timer keeps the event loop alive.
 */
async function errorMessageOf(env: Readonly<Record<string, string>>, code = 1): Promise<string> {
  const NODE_OPTIONS = '--import=data:text/javascript,setInterval(()=>{},1000)';
  const server = new ToysProcess({ ...env, NODE_OPTIONS });
  expect(await server.ended).to.deep.equal({ code, signal: null });
  expect(server.stdout).to.equal('');
  expect(server.stderr).to.not.match(/^\s+at |node:|Error:/m);
  return server.stderr;
}

/** The result of a start in this process. */
const start = (directory: string, env = {}) => toys(['serve'], { directory, env: { PORT: '0', ...env } });

/** Starts a server on a terminal, with `script` (util-linux). */
function startOnTerminal(settings: Readonly<Record<string, string>>) {
  const env = { ...process.env, PORT: '0', ...settings };
  const command = ['-qec', `${process.execPath} ${mainScript}`, '/dev/null'];
  const terminal = spawn('script', command, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  let printed = '';
  terminal.stdout.on('data', (text: Buffer) => (printed += text.toString()));
  return {
    /** Resolves with the first group of the pattern, when it was printed. */
    until: async (pattern: RegExp) => {
      while (!pattern.test(printed)) await once(terminal.stdout, 'data');
      return pattern.exec(printed)?.[1] ?? '';
    },
    /** Presses Ctrl+C. Resolves with everything that was printed. */
    stop: async () => {
      terminal.stdin.write('\x03');
      await once(terminal, 'close');
      return printed;
    },
  };
}

describe('the server command', () => {
  let directory: string;
  beforeEach(() => (directory = temporaryDirectory()));

  it('prints a key and a working curl command at the first start only', async () => {
    const first = await ToysProcess.start({ DATA_DIR: directory });
    await first.waitForStderr(/curl .+\n/);
    expect(first.stderr).to.match(/^Toys [\d.]+ is at http:\/\/127\.0\.0\.1:\d+\/v1\n/);
    expect(first.firstKey).to.match(/^toys_live_[0-9A-Za-z]{36}$/);
    const curl = await run('bash', ['-c', `${String(/curl .+$/m.exec(first.stderr))} --silent --show-error --fail`]);
    expect(curl.stdout).to.equal('[]');
    await first.stop();
    expect(first.alarms).to.deep.equal([]);

    const second = await startCommand(['serve'], { directory });
    expect((await send(`${baseUrlOf(second)}/toys`, String(first.firstKey))).status).to.equal(200);
    expect((await second.stop()).stderr).to.not.contain('curl');
  });

  it('prefers options to environment variables, and these to the file of --settings', async () => {
    const file = join(temporaryDirectory(), 'settings.env');
    writeFileSync(file, 'PORT=http\nHOST=192.0.2.1\nLOG_LEVEL=silent\nMAX_CONNECTIONS=99\n');
    const options = ['--settings', file, '--host', '127.0.0.1', '--port', '0'];
    const env = { DATA_DIR: temporaryDirectory(), PORT: '1', LOG_LEVEL: 'info' };
    const server = await ToysProcess.start(env, { command: [mainScript, ...options] });
    expect(server.baseUrl).to.match(/^http:\/\/127\.0\.0\.1:\d{4,}\/v1$/);
    await server.stop();
    expect(server.stdout).to.contain('"msg":"started"');
    const reason = "option '--port <port>' argument 'http' is invalid; it must be an integer from 0 to 65535";
    expect(await toys(['serve', '--port', 'http'])).to.deep.equal(failure(reason, 2));
  });

  const everywhere = { HOST: '0.0.0.0' };
  for (const [reason, env, ...options] of [
    ['off a terminal, if other machines can reach it', everywhere],
    ['with --no-first-key', {}, '--no-first-key'],
  ] as const)
    it(`creates no key ${reason}, and prints the command that creates one`, async () => {
      const server = await startCommand(['serve', ...options], { directory, env });
      await server.stderr.until(/keys create.*\n/);
      const { text } = server.stderr;
      expect(text).to.contain(`There are no API keys in ${directory}. Create one, with the settings of the`);
      const [, command = ''] = /^ {2}toys (keys create .+)$/m.exec(text) ?? [];
      expect((await toys(['keys', 'list', '--json'], { directory })).stdout).to.equal('[]\n');
      const { stdout } = await toys([...command.split(' '), '--json'], { directory, clock: Date.now });
      const { token, plan } = JSON.parse(stdout) as { token: string; plan: string };
      expect(plan).to.equal('free');
      expect((await send(`${baseUrlOf(server)}/toys`, token)).status).to.equal(200);
    });

  it('creates a key on a terminal, also if other machines can reach it', async () => {
    const terminal = new TextOutput(true);
    await startCommand(['serve'], { directory, env: everywhere, stderr: terminal });
    await terminal.until(/Bearer toys_live_[0-9A-Za-z]{36}"/);
  });

  it('warns about likely misconfigurations, on stderr and in the log, and prints the URL of the API reference', async () => {
    const server = await ToysProcess.start({ DATA_DIR: directory, HOST: '0.0.0.0' });
    const [, url = ''] = /^ {2}Reference (\S+)$/m.exec(server.stderr) ?? [];
    expect((await fetch(url)).headers.get('content-type')).to.equal('text/html; charset=utf-8');
    await server.stop();
    const warnings = server.alarms.map(({ code, msg }) => `${String(code)}: ${String(msg)}`);
    expect(warnings).to.have.members([
      "public_base_url_unset: links lead to the listener's own address, which clients elsewhere cannot reach. Set " +
        'PUBLIC_BASE_URL.',
    ]);
    for (const warning of warnings) expect(server.stderr).to.contain(`Warning: ${warning}\n`);
  });

  it('writes a log for people to a terminal, one line for each request', async () => {
    const terminal = startOnTerminal({ DATA_DIR: directory });
    const baseUrl = await terminal.until(/ is at (http\S+)\r\n/);
    await fetch(`${baseUrl}/toys`);
    // Without colours.
    await terminal.until(/\] \S*INFO\S*: \S*request GET listToys 401 [\d.]+ ms/);
    expect(await terminal.stop()).to.match(/stopped/);
  });

  it('prints the public URL, and the address that it listens on if that is another', async () => {
    const server = await startCommand(['serve'], { directory, env: { PUBLIC_BASE_URL: 'https://toys.example/v1' } });
    expect(server.stderr.text).to.match(
      /^Toys [\d.]+ is at https:\/\/toys\.example\/v1\n {2}Listener {2}http:\/\/127\.0\.0\.1:\d+\/v1\n {2}Reference https:\/\/toys\.example\/docs\n/,
    );
  });

  it('warns when MAX_CONNECTIONS exceeds the limit of file descriptors', async () => {
    const env = { DATA_DIR: directory, MAX_CONNECTIONS: '1000' };
    const server = await ToysProcess.start(env, { setUp: 'ulimit -n 1099' });
    await server.stop();
    expect(server.alarms.map(({ code, msg }) => `${String(code)}: ${String(msg)}`)).to.deep.equal([
      'file_descriptor_limit: MAX_CONNECTIONS is 1000, but the process may open 1099 files. Raise that limit ' +
        '(ulimit -n) to 1100, or set MAX_CONNECTIONS to at most 999.',
    ]);
    const raised = await ToysProcess.start(env, { setUp: 'ulimit -n 1100' });
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
      const holder = createServer();
      const port = String(await listen(holder));
      const reason = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
      const message = `cannot listen on 127.0.0.1 port ${port}: ${reason}; see`;
      expect(await errorMessageOf({ DATA_DIR: directory, PORT: port })).to.equal(`error: ${message} HOST and PORT\n`);
      const metrics = await start(directory, { METRICS_PORT: port });
      expect(metrics).to.deep.equal(failure(`${message} METRICS_HOST and METRICS_PORT`));
      holder.close();
      const server = await startCommand(['serve'], { directory });
      await server.stderr.until(/curl .+\n/);
    });

    it('when another server uses the directory, but not after that was killed', async () => {
      const first = await ToysProcess.start({ DATA_DIR: directory });
      const message = `another toys server uses ${directory}/; stop it, or set DATA_DIR to another directory`;
      expect(await start(directory)).to.deep.equal(failure(message));
      await first.crash();
      await startCommand(['serve'], { directory });
    });

    it('when two servers start in an empty directory at the same time: one of them, immediately', async () => {
      const servers = [1, 2].map(() => new ToysProcess({ DATA_DIR: directory }));
      const startedAt = performance.now();
      const loser = await Promise.race(servers.map((server) => server.ended.then(() => server)));
      expect(performance.now() - startedAt).to.be.below(8000);
      expect(loser.stderr).to.match(
        /^error: another toys server .*uses .*; stop it, or set DATA_DIR to another directory\n$/,
      );
      const [winner] = servers.filter((server) => server !== loser);
      await winner?.waitForStderr(/ is at /);
      await winner?.stop();
    });

    it('while active keys have plans without limits in the contract, which `toys keys` can change', async () => {
      const keys = (...args: string[]) => toysJson<IssuedKeyView>(['keys', ...args], { directory, clock: Date.now });
      const create = (plan: string, ...options: string[]) => keys('create', '--name', 'a', '--plan', plan, ...options);
      const custom = await create('enterprise', '--per-minute', '9', '--per-day', '9');
      const [gold, expired, revoked] = [
        await create('pro'),
        await create('pro', '--expires', '1s'),
        await create('pro'),
      ];
      await keys('revoke', revoked.id);
      const beside = openBeside({ directory });
      beside.exec("UPDATE quotas SET plan = 'gold', requests_per_minute = NULL WHERE plan <> 'free'");
      beside.prepare("UPDATE quotas SET plan = 'enterprise' WHERE id = ?").run(custom.quotaId);
      beside.prepare('UPDATE api_keys SET expires_at = 1 WHERE id = ?').run(expired.id);
      beside.close();
      expect(await start(directory)).to.deep.equal(
        failure(
          'the contract has no limits for the plans of active API keys: enterprise (1), gold (1); restore the plans, ' +
            'or change the keys with `toys keys update <id> --plan <plan>`',
        ),
      );
      const { stdout } = await toys(['keys', 'list'], { directory });
      expect(stdout).to.match(new RegExp(`^${gold.id} +a +gold +- +- +active`, 'm'));
      await keys('update', custom.id, '--plan', 'free');
      expect(await keys('update', gold.id, '--plan', 'pro')).to.include({ plan: 'pro', requestsPerMinute: 300 });
      const server = await startCommand(['serve'], { directory });
      for (const { token } of [custom, gold])
        expect((await send(`${baseUrlOf(server)}/toys`, token)).status).to.equal(200);
    });

    it('when the data directory cannot be created', async () => {
      const file = join(directory, 'file');
      writeFileSync(file, '');
      const { exitCode, stderr } = await start(file);
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(/^error: cannot create DATA_DIR .*: .*\n$/);
    });
  });
});
