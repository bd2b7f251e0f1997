import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { isToken } from '#src/api-keys/token.js';
import { mockKeyOf } from '#src/cli/commands/mock.js';
import { keyPrefixesOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { petstore } from '../support/cli/command-line.js';
import { assertMockConforms } from '../support/contract/conformance.js';
import { parseLines } from '../support/log-lines.js';
import { MockProcess } from '../support/servers/mock-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

interface Announcement {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly contractUrl: string;
}

const { document } = await readContract(contractUrl);
const mockKey = mockKeyOf(document);
const run = promisify(execFile);
const stopped = { code: 0, signal: null };
const rex = { name: 'Rex', categoryId: 7, status: 'available' };

/** Starts a mock for programs, on a free port. `TMPDIR` is where a temporary store lies. */
async function start(
  args: readonly string[],
  directory: string,
  env = {},
): Promise<{ mock: MockProcess } & Announcement> {
  const mock = new MockProcess(['--json', '--port', '0', ...args], { TMPDIR: directory, ...env });
  await mock.writes('stdout', /\n/);
  return { mock, ...(JSON.parse(mock.stdout.split('\n')[0] ?? '') as Announcement) };
}

/**
 * Sends a request with the key of the mock, validates the response against the contract, and returns its status,
 * headers and body.
 */
async function send({ baseUrl, apiKey }: Announcement, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const method = body === undefined ? 'GET' : 'POST';
  const response = await fetch(`${baseUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const { status } = response;
  const received = { status, headers: Object.fromEntries(response.headers), text: await response.text() };
  assertMockConforms(method, `/v1${path}`, received);
  return { ...received, body: JSON.parse(received.text) as unknown };
}

describe('petstore mock', () => {
  it('prints its URLs and its API key as one line of JSON with --json, and then one line for each request', async () => {
    const { mock, ...announcement } = await start([], temporaryDirectory());
    expect(mock.stdout).to.match(
      /^\{"baseUrl":"http:\/\/127\.0\.0\.1:\d+\/v1","apiKey":"pets_test_\w+","contractUrl":"http\S+\/openapi\.yaml"\}\n$/,
    );
    expect((await send(announcement, '/pets')).status).to.equal(200);
    expect(await mock.stop()).to.deep.equal(stopped);
    expect(mock.stderr).to.equal('');
    const [, ...requests] = parseLines(mock.stdout);
    expect(requests).to.have.lengthOf(1);
    expect(requests[0]).to.include({ msg: 'request', method: 'GET', operationId: 'listPets', status: 200 });
  });

  for (const [args, printed] of [
    [[], /^\[\{"id":1,"name":"Rex"/],
    [['--stateful'], /^\[\]$/],
  ] as const) {
    it(`petstore mock ${args.join('')} prints its URL and curl commands that work`, async () => {
      const mock = new MockProcess([...args, '--port', '0'], { TMPDIR: temporaryDirectory() });
      await mock.writes('stderr', /curl.*\n.*curl.*\n\n$/);
      expect(mock.stderr).to.match(/ of Pet Store \d+\.\d+\.\d+ is at http:\/\/127\.0\.0\.1:\d+\/v1\n/);
      const [first = '', second = ''] = [...mock.stderr.matchAll(/^ {2}(curl .+)$/gm)].map(([, line = '']) => line);
      expect((await run('bash', ['-c', `${first} -s`])).stdout).to.match(printed);
      expect((await run('bash', ['-c', `${second} -s`])).stdout).to.match(
        args.length === 0 ? /"rate_limit_exceeded"/ : /^\{"id":1,/,
      );
      expect(await mock.stop('SIGINT')).to.deep.equal(stopped);
      expect(parseLines(mock.stdout).map(({ msg, method }) => [msg, method])).to.deep.equal([
        ['request', 'GET'],
        ['request', args.length === 0 ? 'GET' : 'POST'],
      ]);
    });
  }

  it('listens on --host and --port, or else on HOST and PORT', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const byEnvironment = new MockProcess(['--json'], { PORT: port });
    expect(await byEnvironment.ended).to.deep.equal({ code: 1, signal: null });
    expect(byEnvironment.stderr).to.include(`error: cannot listen on 127.0.0.1 port ${port}`);
    const { mock, baseUrl } = await start(['--host', '::1'], temporaryDirectory(), { HOST: '127.0.0.1', PORT: port });
    expect(baseUrl).to.match(/^http:\/\/\[::1\]:\d+\/v1$/);
    await mock.stop();
    taken.close();
  });

  for (const args of [[], ['--stateful']]) {
    it(`petstore mock ${args.join('')} uses --base-url in the links of its responses`, async () => {
      const publicUrl = 'http://petstore.example:8080/shop/v1';
      const { mock, ...announcement } = await start(args, temporaryDirectory());
      const port = new URL(announcement.baseUrl).port;
      await mock.stop();
      const { mock: named, ...names } = await start(
        [...args, '--port', port, '--base-url', publicUrl],
        temporaryDirectory(),
      );
      const { headers } = await send({ ...announcement, apiKey: names.apiKey }, '/pets', rex);
      expect([names.baseUrl, headers['location']]).to.deep.equal([publicUrl, `${publicUrl}/pets/1`]);
      await named.stop();
    });
  }

  for (const [args, message] of [
    [
      ['--port', '70000'],
      /^error: option '--port <port>' argument '70000' is invalid; it must be an integer from 0 to 65535\n$/,
    ],
    [['--host', 'shop.example'], /; it must be an IP address, or localhost\n$/],
    [['--base-url', 'http://petstore/v2'], /; it must be an http or https URL that ends in \/v1\n$/],
    [['--plan', 'enterprise'], /; allowed choices are free, pro, business\n$/],
  ] as const) {
    it(`rejects ${args.join(' ')} with exit code 2`, async () => {
      const { exitCode, stdout, stderr } = await petstore(['mock', ...args]);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr).to.match(message);
    });
  }

  it('has a constant API key with the prefix of test keys', () => {
    expect(mockKey.token).to.equal('pets_test_ForTestsOnlyTheKeyOfEveryMock00QiDPn');
    expect(isToken(mockKey.token, keyPrefixesOf(document).staging)).to.equal(true);
  });
});

describe('petstore mock --stateful', () => {
  it('stores created pets, accepts only its own key, and deletes its files at exit', async () => {
    const directory = temporaryDirectory();
    const { mock, ...announcement } = await start(['--stateful'], directory);
    expect(announcement.apiKey).to.equal(mockKey.token);
    const created = await send(announcement, '/pets', rex);
    expect([created.status, created.body]).to.deep.equal([201, { id: 1, ...rex }]);
    expect((await send(announcement, '/pets?status=available')).body).to.deep.equal([{ id: 1, ...rex }]);
    const found = await send(announcement, '/pets/1');
    expect([found.status, found.body]).to.deep.equal([200, { id: 1, ...rex }]);
    expect(found.headers['x-ratelimit-limit']).to.equal('1000000000');
    expect((await send({ ...announcement, apiKey: `${mockKey.token}x` }, '/pets')).status).to.equal(401);
    expect(readdirSync(directory)).to.have.lengthOf(1);
    expect(await mock.stop()).to.deep.equal(stopped);
    expect([readdirSync(directory), mock.stderr]).to.deep.equal([[], '']);
  });

  it('applies the limits of --plan', async () => {
    const { mock, ...announcement } = await start(['--plan', 'free'], temporaryDirectory());
    for (let sent = 1; sent <= 60; sent += 1) expect((await send(announcement, '/pets')).status).to.equal(200);
    const rejected = await send(announcement, '/pets');
    expect([rejected.status, rejected.headers['x-ratelimit-limit']]).to.deep.equal([429, '60']);
    expect(rejected.body).to.include({ code: 'rate_limit_exceeded' });
    await mock.stop();
  });

  it('ignores DATA_DIR, DATABASE_URL, REDIS_URL and PETSTORE_ENVIRONMENT', async () => {
    const [directory, data] = [temporaryDirectory(), temporaryDirectory()];
    const env = {
      DATA_DIR: data,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      PETSTORE_ENVIRONMENT: 'production',
    };
    const { mock, ...announcement } = await start(['--stateful'], directory, env);
    expect((await send(announcement, '/pets', rex)).status).to.equal(201);
    expect(readdirSync(data)).to.deep.equal([]);
    await mock.stop();
  });

  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    it(`deletes its files on ${signal}, although a timer keeps the event loop alive`, async () => {
      const directory = temporaryDirectory();
      const env = { NODE_OPTIONS: '--import=data:text/javascript,setInterval(()=>{},1000)' };
      const { mock } = await start(['--stateful'], directory, env);
      expect(await mock.stop(signal)).to.deep.equal(stopped);
      expect(readdirSync(directory)).to.deep.equal([]);
    });
  }

  it('deletes its files on a signal during startup', async () => {
    const directory = temporaryDirectory();
    const watcher = watch(directory);
    const mock = new MockProcess(['--stateful', '--port', '0'], { TMPDIR: directory });
    await once(watcher, 'change');
    watcher.close();
    expect(await mock.stop()).to.deep.equal(stopped);
    expect(readdirSync(directory)).to.deep.equal([]);
  });

  it('deletes its files if it cannot start', async () => {
    const directory = temporaryDirectory();
    const { mock, baseUrl } = await start(['--stateful'], directory);
    const second = new MockProcess(['--stateful', '--port', new URL(baseUrl).port], { TMPDIR: directory });
    expect(await second.ended).to.deep.equal({ code: 1, signal: null });
    expect(second.stderr).to.include('cannot listen on 127.0.0.1 port');
    expect(readdirSync(directory)).to.have.lengthOf(1);
    await mock.stop();
    expect(readdirSync(directory)).to.deep.equal([]);
  });
});
