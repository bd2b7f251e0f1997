import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { closeLater } from '@contract-server/test-support/closing.js';
import { parseLines } from '@contract-server/test-support/log-lines.js';
import { commandContext, runTool } from '@contract-server/test-support/run-tool.js';
import { directoryWith, ToolProcess } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';
import { runTools } from '#src/cli/tools/run-tools.js';

const run = promisify(execFile);
const error = { type: 'object', properties: { code: { type: 'string' } } };

const json = (schema: object, example: unknown) => ({
  description: 'JSON',
  content: { 'application/json': { schema, example } },
});

/** A contract with a security scheme. */
const contractWith = (openapi: string, scheme: object, servers: object[] = []) => ({
  openapi,
  info: { title: 'Trains', version: '2.0.0' },
  servers,
  security: [{ scheme: [] }],
  paths: {
    '/trains': {
      get: {
        operationId: 'listTrains',
        responses: {
          200: json({ type: 'array', items: { $ref: '#/components/schemas/Train' } }, [{ id: 7 }]),
          404: json(error, { code: 'not_found' }),
        },
      },
    },
  },
  components: {
    securitySchemes: { scheme },
    schemas: { Train: { type: 'object', properties: { id: { type: 'integer' } } } },
  },
});

const jwt = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' };
const key = { type: 'apiKey', in: 'header', name: 'X-Key' };

const place = (contract: object) => directoryWith({ 'contract.yaml': contract });

/** Starts a mock in this process, without a log, and waits for what it prints. It is stopped after the test. */
async function start(contract: object, ...options: readonly string[]) {
  const context = commandContext({ env: { PORT: '0', LOG_LEVEL: 'silent' } });
  const ended = runTools(['mock', `${place(contract)}/contract.yaml`, ...options], context);
  const stop = async (signal = 'SIGTERM') => {
    context.signals.emit(signal);
    await ended;
    return { codes: context.codes, stderr: context.stderr.text };
  };
  closeLater(stop);
  const output = options.includes('--json') ? context.stdout : context.stderr;
  await Promise.race([once(output, 'lines'), ended]);
  return { text: output.text, stop };
}

describe('contract-server mock', function () {
  this.timeout(60_000);

  for (const [title, contract, security] of [
    ['3.0', contractWith('3.0.4', jwt), '  Security  any credentials, such as Authorization: Bearer any'],
    ['3.1', contractWith('3.1.0', jwt), '  Security  any credentials, such as Authorization: Bearer any'],
    ['3.1 with API keys', contractWith('3.1.0', key), /^ {2}API key {3}secret_\w+, or any other$/],
    [
      '3.0 with basic authentication',
      contractWith('3.0.4', { type: 'http', scheme: 'basic' }),
      '  Security  any credentials, such as Authorization: Basic any',
    ],
  ] as const)
    it(`serves a contract of OpenAPI ${title}, and prints how to send credentials and curl commands that work`, async () => {
      const { text } = await start(contract);
      expect(text).to.match(/^[^]*curl.*\n.*curl.*\n\n$/);
      const lines = text.split('\n');
      expect(lines[0]).to.match(/^A mock of Trains 2\.0\.0 is at http:\/\/127\.0\.0\.1:\d+$/);
      if (typeof security === 'string') expect(lines[3]).to.equal(security);
      else expect(lines[3]).to.match(security);
      expect(text.includes('secret_')).to.equal(security instanceof RegExp);
      const outputs = [];
      for (const command of lines.filter((line) => line.startsWith('  curl ')))
        outputs.push((await run('bash', ['-c', `${command} -s`])).stdout);
      expect(outputs).to.deep.equal(['[{"id":7}]', '{"code":"not_found"}']);
    });

  it('logs each request, and exits with 0 on SIGINT', async () => {
    const mock = new ToolProcess(place(contractWith('3.0.4', jwt)), ['mock', 'contract.yaml']);
    const [, url = ''] = await mock.prints('stderr', / is at (http\S+)\n[^]*curl.*\n.*curl.*\n\n$/);
    const headers = { Authorization: 'Bearer any' };
    for (const prefer of [{}, { Prefer: 'code=404' }])
      await (await fetch(`${url}/trains`, { headers: { ...headers, ...prefer } })).text();
    mock.kill('SIGINT');
    expect(await mock.ended).to.deep.equal({ code: 0, signal: null });
    expect(parseLines(mock.stdout).map((line) => line['status'])).to.deep.equal([200, 404]);
  });

  it('prints no credentials for a contract without security schemes', async () => {
    const { security: _, components: _components, ...open } = contractWith('3.1.0', jwt);
    const paths = { '/trains': { get: { operationId: 'listTrains', responses: { 200: json({}, 'all') } } } };
    const { text } = await start({ ...open, paths });
    const [, url = ''] = /^[^]*\n {2}curl (http\S+)\n\n$/.exec(text) ?? [];
    expect(text).to.not.match(/Security|API key|Authorization/);
    expect(await (await fetch(url)).text()).to.equal('"all"');
  });

  it('prints JSON with --json, with an API key only if the contract has API keys', async () => {
    for (const [scheme, fields] of [
      [jwt, ['baseUrl', 'contractUrl']],
      [key, ['baseUrl', 'apiKey', 'contractUrl']],
    ] as const) {
      const mock = await start(contractWith('3.0.4', scheme), '--json');
      expect(mock.text).to.match(/^.+\n$/);
      expect(Object.keys(JSON.parse(mock.text) as object)).to.deep.equal(fields);
      expect(await mock.stop()).to.deep.equal({ codes: [0], stderr: '' });
    }
  });

  it('listens on --host and --port, with the URL of --base-url and the path prefix of the contract', async () => {
    const contract = contractWith('3.0.4', jwt, [{ url: '/rail' }]);
    const options = ['--host', '::1', '--port', '0', '--base-url', 'http://trains.example/eu/rail'];
    const { text } = await start(contract, ...options, '--json');
    expect(JSON.parse(text)).to.deep.equal({
      baseUrl: 'http://trains.example/eu/rail',
      contractUrl: 'http://trains.example/eu/openapi.yaml',
    });
  });

  for (const [options, message] of [
    [['--port', '70000'], "option '--port <port>' argument '70000' is invalid; it must be an integer from 0 to 65535"],
    [['--host', 'x'], "option '--host <address>' argument 'x' is invalid; it must be an IP address, or localhost"],
    [
      ['--base-url', 'http://x/v2'],
      "option '--base-url <url>' argument 'http://x/v2' is invalid; it must be an http or https URL that ends in /v1",
    ],
    [['--stateful'], "unknown option '--stateful'"],
  ] as const)
    it(`exits with 2 for ${options.join(' ')}`, async () => {
      const contract = contractWith('3.0.4', jwt, [{ url: '/v1' }]);
      const ended = await runTool(place(contract), 'mock', 'contract.yaml', ...options);
      expect(ended).to.deep.equal({ code: 2, stdout: '', stderr: `error: ${message}\n` });
    });

  it('exits with 1 for an invalid contract, with a line for each mistake', async () => {
    const contract = { ...contractWith('3.0.4', { type: 'http' }), servers: {} };
    const { code, stdout, stderr } = await runTool(place(contract), 'mock', 'contract.yaml');
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr.replaceAll(/^(contract\.yaml):\d+:\d+/gm, '$1')).to.equal(
      'contract.yaml Expected type `ServerList` (array) but got `object`.\n' +
        'contract.yaml The field `scheme` must be present on this level.\n',
    );
  });

  it('exits with 1 if the port is not free', async () => {
    const contract = contractWith('3.0.4', jwt);
    const { text } = await start(contract, '--json');
    const { port } = new URL((JSON.parse(text) as { baseUrl: string }).baseUrl);
    const { code, stderr } = await runTool(place(contract), 'mock', 'contract.yaml', '--port', port);
    expect(code).to.equal(1);
    expect(stderr).to.match(new RegExp(`^error: cannot listen on 127\\.0\\.0\\.1 port ${port}`));
  });
});
