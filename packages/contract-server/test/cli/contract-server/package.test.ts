import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { directoryWith, ToolProcess } from '../../support/servers/tool-process.js';

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../../../', import.meta.url));

const info = { title: 'Trees', version: '1.0.0' };
const responses = { 200: { description: 'Trees', content: { 'application/json': { example: [] } } } };
const contract = { openapi: '3.0.4', info, paths: { '/trains': { get: { responses } } } };

describe('the package contract-server', function () {
  // npm is slow on a busy machine.
  this.timeout(120_000);

  it('runs diff and mock in another project, without databases and the TypeScript compiler', async () => {
    const project = directoryWith({ 'contract.yaml': contract });
    const modules = join(project, 'node_modules');
    const installed = join(modules, 'contract-server');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    mkdirSync(installed);
    const pack = ['pack', '--json', '-w', 'packages/contract-server', '--pack-destination', project];
    const [{ filename }] = JSON.parse((await run('npm', pack, { cwd: root })).stdout) as [{ filename: string }];
    await run('tar', ['--extract', '--strip-components=1', `--file=${join(project, filename)}`], { cwd: installed });
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest;
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifest;
    const required = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
    for (const name of [...Object.keys(dependencies), ...required]) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
    // As npm does.
    const program = join(modules, '.bin/contract-server');
    symlinkSync(join('../contract-server', manifest.bin['contract-server'] ?? ''), program);

    const version = await new ToolProcess(project, ['--version'], program).finish();
    expect(version).to.deep.equal({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    const diff = await new ToolProcess(project, ['diff', 'contract.yaml', 'contract.yaml'], program).finish();
    expect(diff).to.deep.equal({ code: 0, stdout: '0 changes since 1.0.0.\n', stderr: '' });
    const mock = new ToolProcess(project, ['mock', 'contract.yaml', '--json'], program);
    const [line] = await mock.prints('stdout', /^.+\n/);
    const { baseUrl } = JSON.parse(line) as { readonly baseUrl: string };
    expect(await (await fetch(`${baseUrl}/trains`)).json()).to.deep.equal([]);
    for (const path of ['/docs', '/openapi.yaml']) expect((await fetch(`${baseUrl}${path}`)).status).to.equal(200);
  });
});
