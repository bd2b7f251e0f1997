import { once } from 'node:events';
import { renameSync, symlinkSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from '@contract-server/test-support/run-tool.js';
import { isListening } from '@contract-server/test-support/servers/is-listening.js';
import { directoryWith, ToolProcess, writeFiles } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';

const nodeModules = fileURLToPath(new URL('../../../../../../node_modules', import.meta.url));

const contractWith = (operationId: string, schema: object = { type: 'string' }) => ({
  openapi: '3.0.4',
  info: { title: 'Books', version: '1.0.0' },
  paths: {
    '/books': {
      get: {
        operationId,
        responses: { 200: { description: 'Books', content: { 'application/json': { schema } } } },
      },
    },
  },
});

/** A service that responds with a text, its arguments, and whether it validates responses. */
const serviceWith = (text: string) => `
import { createServer } from 'node:http';
const { VALIDATE_RESPONSES: validates } = process.env;
const server = createServer((_, response) => response.end(JSON.stringify(['${text}', validates, ...process.argv.slice(2)])));
server.listen(0, '127.0.0.1', () => console.error('is at http://127.0.0.1:' + server.address().port));
`;

const scripts = { build: 'mkdir -p dist && cp src/*.js dist/' };
const project = {
  'package.json': JSON.stringify({ type: 'module', scripts }),
  'contract.yaml': contractWith('listBooks'),
  'src/main.js': serviceWith('first'),
};

/** Resolves with the URL of the service that was started last. */
async function starts(dev: ToolProcess): Promise<string> {
  const [, url = ''] = await dev.prints('stderr', /is at (http\S+)\n/);
  return url;
}

async function responseOf(url: string): Promise<unknown> {
  return (await fetch(url, { headers: { Connection: 'close' } })).json();
}

const isStopped = async (url: string) => (await fetch(url).catch((error: unknown) => error)) instanceof TypeError;

/** The signal stops the command with 0, and its service. */
async function expectStopped(dev: ToolProcess, signal: NodeJS.Signals, url: string): Promise<void> {
  dev.kill(signal);
  expect(await dev.ended).to.deep.equal({ code: 0, signal: null });
  expect(await isStopped(url)).to.equal(true);
}

describe('contract-server dev', function () {
  this.timeout(120_000);

  it('generates, builds and restarts after each change, keeps the service running if a step fails, and stops on SIGINT', async () => {
    const directory = directoryWith(project);
    const dev = new ToolProcess(directory, ['dev', '--', '--settings', 'x']);
    await dev.prints('stderr', /^dev: Watching contract\.yaml, src\.\n/);
    const first = await starts(dev);
    expect(await responseOf(first)).to.deep.equal(['first', 'on', '--settings', 'x']);

    writeFiles(directory, { 'src/main.js': serviceWith('second') });
    const second = await starts(dev);
    expect([await responseOf(second), await isStopped(first)]).to.deep.equal([
      ['second', 'on', '--settings', 'x'],
      true,
    ]);

    for (const [path, contents, error] of [
      ['contract.yaml', 'openapi: 2.0.0\n', /dev: contract\.yaml:1:1 OpenAPI 2\.0\.0 is not supported; .+\n/],
      ['package.json', '{}', undefined],
      ['contract.yaml', contractWith('listBooks'), /dev: .*build.*\n/],
    ] as const) {
      writeFiles(directory, { [path]: contents });
      if (error === undefined) continue;
      await dev.prints('stderr', error);
      await dev.prints('stderr', /dev: The service keeps running unchanged\.\n/);
      expect(await responseOf(second)).to.include('second');
    }
    writeFiles(directory, { 'package.json': project['package.json'], 'src/main.js': 'process.exit(3);' });
    await dev.prints('stderr', /dev: The service exited \(3\)\. It starts again after the next change\.\n/);
    writeFiles(directory, { 'src/main.js': serviceWith('third') });
    const third = await starts(dev);
    expect(await responseOf(third)).to.include('third');
    await expectStopped(dev, 'SIGINT', third);
  });

  it('watches every file of the contract, also if an editor replaces it, and stops on SIGTERM', async () => {
    const directory = directoryWith({
      ...project,
      'contract.yaml': contractWith('listBooks', { $ref: 'parts/book.yaml' }),
      'parts/book.yaml': { type: 'string', description: 'First.' },
    });
    const dev = new ToolProcess(directory, ['dev', '--output', 'types/api.d.ts']);
    await starts(dev);
    writeFiles(directory, { 'parts/book.yaml~': { type: 'integer', default: 'x' } });
    renameSync(join(directory, 'parts/book.yaml~'), join(directory, 'parts/book.yaml'));
    await dev.prints('stderr', /dev: Warning: parts\/book\.yaml:\d+:\d+ The default "x" is not filled in/);
    const url = await starts(dev);
    expect(
      (await runTool(directory, 'generate', 'contract.yaml', '--output', 'types/api.d.ts', '--check')).code,
    ).to.equal(0);
    await expectStopped(dev, 'SIGTERM', url);
  });

  it('locates errors of the compiler, which it runs without a build script', async () => {
    const tsconfig = {
      compilerOptions: { rootDir: 'src', outDir: 'dist', module: 'NodeNext', types: [], noCheck: false },
    };
    const directory = directoryWith({
      'package.json': JSON.stringify({ type: 'module', main: 'dist/start.js' }),
      'tsconfig.json': JSON.stringify({ ...tsconfig, include: ['src'] }),
      'spec/books.yaml': contractWith('listBooks'),
      'src/start.ts': `// @ts-nocheck\n${serviceWith('typed')}`,
      'src/port.ts': 'export const port: string = 3;\n',
    });
    symlinkSync(nodeModules, join(directory, 'node_modules'));
    const dev = new ToolProcess(directory, ['dev']);
    await dev.prints('stderr', /^dev: src\/port\.ts:1:14: error TS2322: .+\n/m);
    writeFiles(directory, { 'src/port.ts': 'export const port: string = "3";\n' });
    expect(await responseOf(await starts(dev))).to.include('typed');
  });

  it('stops a build that is running', async () => {
    const directory = directoryWith(project);
    const created = once(watch(directory), 'change') as Promise<[event: string, name: string]>;
    const build = `node -e "http.createServer().listen(0, function () { fs.mkdirSync('at-' + this.address().port) })"`;
    const dev = new ToolProcess(directory, ['dev', '--output', 'src/contract.d.ts', '--build', build]);
    const [, name] = await created;
    dev.kill('SIGINT');
    expect(await dev.ended).to.deep.equal({ code: 0, signal: null });
    expect(await isListening(Number(name.replace('at-', '')))).to.equal(false);
  });

  it('stops the service when it is killed', async () => {
    const dev = new ToolProcess(directoryWith(project), ['dev']);
    const url = await starts(dev);
    dev.kill('SIGKILL');
    // The service shares its output, so this also waits for the end of the service.
    expect(await dev.ended).to.deep.equal({ code: null, signal: 'SIGKILL' });
    expect(await isStopped(url)).to.equal(true);
  });

  it('uses the contract, output, build, entry and sources of its options, and stops on SIGHUP', async () => {
    const directory = directoryWith({
      'api/a.yaml': contractWith('listBooks'),
      'api/b.yaml': contractWith('listTitles'),
      'lib/start.mjs': serviceWith('options'),
    });
    const options = ['--contract', 'api/b.yaml', '--output', 'types.d.ts', '--build', 'cp lib/start.mjs out.mjs'];
    const dev = new ToolProcess(directory, ['dev', ...options, '--entry', 'out.mjs', '--watch', 'lib', 'api']);
    expect(await responseOf(await starts(dev))).to.deep.equal(['options', 'on']);
    writeFiles(directory, { 'lib/start.mjs': serviceWith('changed') });
    const changed = await starts(dev);
    expect(await responseOf(changed)).to.deep.equal(['changed', 'on']);
    const check = await runTool(directory, 'generate', 'api/b.yaml', '--output', 'types.d.ts', '--check');
    expect(check.code).to.equal(0);
    await expectStopped(dev, 'SIGHUP', changed);
  });

  it('exits with 2 if there is no contract, or more than one', async () => {
    const several = { 'spec/a.yaml': contractWith('a'), 'spec/b.yaml': contractWith('b') };
    for (const directory of [directoryWith({ src: '' }), directoryWith(several)]) {
      const stderr = 'error: cannot find the contract; use --contract\n';
      expect(await runTool(directory, 'dev')).to.deep.equal({ code: 2, stdout: '', stderr });
    }
  });
});
