import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { promisify } from 'node:util';
import { startCommand, toys } from '@contract-server/test-support/cli/toys.js';
import { send as sendRequest } from '@contract-server/test-support/clients/send.js';
import { parseLines } from '@contract-server/test-support/log-lines.js';
import { assertConforms } from '@contract-server/test-support/servers/toys.js';
import { program, ToysProcess } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

interface Announcement {
  readonly baseUrl: string;
  readonly apiKey: string;
}

const block = { name: 'Block', weight: 100 };
/** The key of every mock, so that clients can be configured once. */
const mockToken = 'toys_test_ForTestsOnlyTheKeyOfEveryMock00dGyNO';
const run = promisify(execFile);

const create = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  new ToysProcess(env, { command: [program, 'mock', ...args] });

/** Starts a mock for programs. `TMPDIR` is where a temporary store lies. */
async function start(args: readonly string[], directory = temporaryDirectory(), env = {}) {
  const mock = create(['--json', ...args], { TMPDIR: directory, ...env });
  await mock.waitForLog(/\n/);
  return { mock, ...(JSON.parse(mock.stdout.split('\n')[0] ?? '') as Announcement) };
}

/** Starts a mock in this process. */
async function startHere(args: readonly string[]) {
  const { stdout, stop } = await startCommand(['mock', '--json', ...args]);
  return { stop, ...(JSON.parse(stdout.text) as Announcement) };
}

/** Sends a request with the key of the mock, and validates the response against the contract. */
async function send({ baseUrl, apiKey }: Announcement, path: string, body?: object) {
  const sent = body && { body: JSON.stringify(body) };
  const { status, headers, text } = await sendRequest(`${baseUrl}${path}`, apiKey, sent);
  const received = { status, headers: headers as Record<string, string>, text };
  assertConforms(body === undefined ? 'GET' : 'POST', `/v1${path}`, received);
  return { ...received, body: JSON.parse(text) as unknown };
}

describe('toys mock', () => {
  it('prints its URLs and its API key as one line of JSON with --json, and then one line for each request', async () => {
    const { mock, ...announcement } = await start([]);
    expect(mock.stdout).to.match(
      /^\{"baseUrl":"http:\/\/127\.0\.0\.1:\d+\/v1","apiKey":"toys_test_\w+","contractUrl":"http\S+\/openapi\.yaml"\}\n$/,
    );
    expect((await send(announcement, '/toys')).status).to.equal(200);
    await mock.stop();
    expect(mock.stderr).to.equal('');
    const [, ...requests] = parseLines(mock.stdout);
    expect(requests).to.have.lengthOf(1);
    expect(requests[0]).to.include({ msg: 'request', method: 'GET', operationId: 'listToys', status: 200 });
  });

  for (const [args, first, second, method] of [
    [[], /^\[\{"id":1,"name":"Block".* 200$/, /^\{"code":.* 429$/, 'GET'],
    [['--stateful'], /^\[\] 200$/, /^\{"id":1,.* 201$/, 'POST'],
  ] as const)
    it(`toys mock ${args.join('')} prints its URL and curl commands that work`, async () => {
      const mock = create(args, { TMPDIR: temporaryDirectory() });
      await mock.waitForStderr(/curl.*\n.*curl.*\n\n$/);
      expect(mock.stderr).to.match(/ of Toys \d+\.\d+\.\d+ is at http:\/\/127\.0\.0\.1:\d+\/v1\n/);
      const commands = [...mock.stderr.matchAll(/^ {2}(curl .+)$/gm)].map(([, line = '']) => line);
      for (const [index, output] of [first, second].entries())
        expect((await run('bash', ['-c', `${commands[index] ?? ''} -s -w ' %{http_code}'`])).stdout).to.match(output);
      mock.kill('SIGINT');
      expect(await mock.ended).to.deep.equal({ code: 0, signal: null });
      expect(parseLines(mock.stdout).map((line) => line['method'])).to.deep.equal(['GET', method]);
    });

  for (const args of [[], ['--stateful']])
    it(`toys mock ${args.join('')} uses --base-url in the links of its responses`, async () => {
      const publicUrl = 'http://toys.example:8080/shop/v1';
      const { stop, ...announcement } = await startHere(args);
      await stop();
      const { port } = new URL(announcement.baseUrl);
      const { baseUrl, apiKey } = await startHere([...args, '--port', port, '--base-url', publicUrl]);
      const { headers } = await send({ ...announcement, apiKey }, '/toys', block);
      expect([baseUrl, headers['location']]).to.deep.equal([publicUrl, `${publicUrl}/toys/1`]);
    });

  for (const [option, value, message] of [
    ['--port', '70000', '; it must be an integer from 0 to 65535'],
    ['--host', 'shop.example', '; it must be an IP address, or localhost'],
    ['--base-url', 'http://toys/v2', '; it must be an http or https URL that ends in /v1'],
    ['--plan', 'enterprise', '; allowed choices are free, pro'],
  ] as const)
    it(`rejects ${option} ${value} with exit code 2`, async () => {
      const { exitCode, stdout, stderr } = await toys(['mock', option, value]);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr.endsWith(`${message}\n`), stderr).to.equal(true);
    });
});

describe('toys mock --stateful', () => {
  let directory: string;
  beforeEach(() => (directory = temporaryDirectory()));

  it('stores what is created, accepts only its own key, deletes its files at exit, and ignores the settings of stores', async () => {
    const data = temporaryDirectory();
    const stores = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' };
    const env = { ...stores, DATA_DIR: data, TOYS_ENVIRONMENT: 'production' };
    const { mock, ...announcement } = await start(['--stateful'], directory, env);
    expect(announcement.apiKey).to.equal(mockToken);
    const created = await send(announcement, '/toys', block);
    expect([created.status, created.body]).to.deep.equal([201, { id: 1, ...block }]);
    expect((await send(announcement, '/toys?limit=7')).body).to.deep.equal([{ id: 1, ...block }]);
    const found = await send(announcement, '/toys/1');
    expect([found.status, found.body]).to.deep.equal([200, { id: 1, ...block }]);
    expect(found.headers['x-ratelimit-limit']).to.equal('1000000000');
    const stranger = { ...announcement, apiKey: `${mockToken}x` };
    for (let sent = 0; sent <= 60; sent += 1) expect((await send(stranger, '/toys')).status).to.equal(401);
    expect([readdirSync(data), readdirSync(directory).length]).to.deep.equal([[], 1]);
    await mock.stop();
    expect([readdirSync(directory), mock.stderr]).to.deep.equal([[], '']);
  });

  it('applies the limits of --plan, also without a valid key', async () => {
    const announcement = await startHere(['--plan', 'free']);
    for (let sent = 1; sent <= 60; sent += 1) expect((await send(announcement, '/toys')).status).to.equal(200);
    const rejected = await send(announcement, '/toys');
    expect([rejected.status, rejected.headers['x-ratelimit-limit']]).to.deep.equal([429, '60']);
    expect(rejected.body).to.include({ code: 'rate_limit_exceeded' });
    const stranger = { ...announcement, apiKey: `${mockToken}x` };
    for (let sent = 1; sent <= 60; sent += 1) expect((await send(stranger, '/toys')).status).to.equal(401);
    expect((await send(stranger, '/toys')).status).to.equal(429);
  });

  for (const signal of ['SIGINT', 'SIGHUP'] as const)
    it(`deletes its files on ${signal}, although a timer keeps the event loop alive`, async () => {
      const env = { NODE_OPTIONS: '--import=data:text/javascript,setInterval(()=>{},1000)' };
      const { mock } = await start(['--stateful'], directory, env);
      mock.kill(signal);
      expect(await mock.ended).to.deep.equal({ code: 0, signal: null });
      expect(readdirSync(directory)).to.deep.equal([]);
    });

  it('deletes its files on a signal during startup', async () => {
    const watcher = watch(directory);
    const mock = create(['--stateful'], { TMPDIR: directory });
    await once(watcher, 'change');
    watcher.close();
    await mock.stop();
    expect(readdirSync(directory)).to.deep.equal([]);
  });

  it('deletes its files if it cannot listen on HOST and PORT, which --host and --port override', async () => {
    const { mock, baseUrl } = await start(['--stateful'], directory);
    const env = { TMPDIR: directory, HOST: '127.0.0.1', PORT: new URL(baseUrl).port };
    const second = create(['--stateful'], env);
    expect(await second.ended).to.deep.equal({ code: 1, signal: null });
    expect(second.stderr).to.include(`error: cannot listen on 127.0.0.1 port ${env.PORT}`);
    const other = await start(['--host', '::1', '--port', '0'], temporaryDirectory(), env);
    expect(other.baseUrl).to.match(/^http:\/\/\[::1\]:\d+\/v1$/);
    expect(readdirSync(directory)).to.have.lengthOf(1);
    await mock.stop();
    expect(readdirSync(directory)).to.deep.equal([]);
  });
});
