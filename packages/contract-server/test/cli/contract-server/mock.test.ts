import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parseLines } from '../../support/log-lines.js';
import { directoryWith, runTool, ToolProcess } from '../../support/servers/tool-process.js';

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

/** Starts a mock of `contract.yaml`. */
const start = (contract: object, ...options: readonly string[]) =>
  new ToolProcess(directoryWith({ 'contract.yaml': contract }), ['mock', 'contract.yaml', ...options]);

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
      const mock = start(contract);
      const [text] = await mock.prints('stderr', /^[^]*curl.*\n.*curl.*\n\n$/);
      const lines = text.split('\n');
      expect(lines[0]).to.match(/^A mock of Trains 2\.0\.0 is at http:\/\/127\.0\.0\.1:\d+$/);
      if (typeof security === 'string') expect(lines[3]).to.equal(security);
      else expect(lines[3]).to.match(security);
      expect(text.includes('secret_')).to.equal(security instanceof RegExp);
      const outputs = [];
      for (const command of lines.filter((line) => line.startsWith('  curl ')))
        outputs.push((await run('bash', ['-c', `${command} -s`])).stdout);
      expect(outputs).to.deep.equal(['[{"id":7}]', '{"code":"not_found"}']);
      mock.kill('SIGINT');
      expect(await mock.ended).to.deep.equal({ code: 0, signal: null });
      expect(parseLines(mock.stdout).map((line) => line['status'])).to.deep.equal([200, 404]);
    });

  it('prints no credentials for a contract without security schemes', async () => {
    const { security: _, components: _components, ...open } = contractWith('3.1.0', jwt);
    const paths = { '/trains': { get: { operationId: 'listTrains', responses: { 200: json({}, 'all') } } } };
    const mock = start({ ...open, paths });
    const [text, url = ''] = await mock.prints('stderr', /^[^]*\n {2}curl (http\S+)\n\n$/);
    expect(text).to.not.match(/Security|API key|Authorization/);
    expect(await (await fetch(url)).text()).to.equal('"all"');
  });

  it('prints JSON with --json, with an API key only if the contract has API keys', async () => {
    for (const [scheme, fields] of [
      [jwt, ['baseUrl', 'contractUrl']],
      [key, ['baseUrl', 'apiKey', 'contractUrl']],
    ] as const) {
      const mock = start(contractWith('3.0.4', scheme), '--json');
      const [line] = await mock.prints('stdout', /^.+\n/);
      expect(Object.keys(JSON.parse(line) as object)).to.deep.equal(fields);
      mock.kill('SIGTERM');
      expect([await mock.ended, mock.stderr]).to.deep.equal([{ code: 0, signal: null }, '']);
    }
  });

  it('listens on --host and --port, with the URL of --base-url and the path prefix of the contract', async () => {
    const contract = contractWith('3.0.4', jwt, [{ url: '/rail' }]);
    const options = ['--host', '::1', '--port', '0', '--base-url', 'http://trains.example/eu/rail'];
    const mock = start(contract, ...options, '--json');
    const [line] = await mock.prints('stdout', /^.+\n/);
    expect(JSON.parse(line)).to.deep.equal({
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
      const directory = directoryWith({ 'contract.yaml': contractWith('3.0.4', jwt, [{ url: '/v1' }]) });
      const ended = await runTool(directory, 'mock', 'contract.yaml', ...options);
      expect(ended).to.deep.equal({ code: 2, stdout: '', stderr: `error: ${message}\n` });
    });

  it('exits with 1 for an invalid contract, with a line for each mistake', async () => {
    const { code, stdout, stderr } = await start({ ...contractWith('3.0.4', { type: 'http' }), servers: {} }).finish();
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr.replaceAll(/^(contract\.yaml):\d+:\d+/gm, '$1')).to.equal(
      'contract.yaml Expected type `ServerList` (array) but got `object`.\n' +
        'contract.yaml The field `scheme` must be present on this level.\n',
    );
  });

  it('exits with 1 if the port is not free', async () => {
    const mock = start(contractWith('3.0.4', jwt), '--json');
    const [line] = await mock.prints('stdout', /^.+\n/);
    const { port } = new URL((JSON.parse(line) as { baseUrl: string }).baseUrl);
    const { code, stderr } = await start(contractWith('3.0.4', jwt), '--port', port).finish();
    expect(code).to.equal(1);
    expect(stderr).to.match(new RegExp(`^error: cannot listen on 127\\.0\\.0\\.1 port ${port}`));
  });
});
