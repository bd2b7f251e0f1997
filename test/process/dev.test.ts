import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { cp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { settings } from '#src/config.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const unset = Object.fromEntries(Object.values(settings).map(({ name }) => [name, '']));
const parts = [
  'spec',
  'src',
  'scripts',
  'generated',
  'docs',
  'package.json',
  'tsconfig.json',
  'dist',
  'build/scripts',
  'build/src',
];

/** `npm run dev` in a copy of the project. */
class DevProcess {
  private printed = '';

  private constructor(
    readonly directory: string,
    readonly process: ChildProcess,
  ) {
    // `logs` returns only what is written afterwards.
    process.stdout?.setEncoding('utf8').resume();
    process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.printed += text));
  }

  static async start(): Promise<DevProcess> {
    const directory = temporaryDirectory();
    // The compiled files keep their times, so that the compiler has nothing to do at first.
    for (const part of parts)
      await cp(join(root, part), join(directory, part), { recursive: true, preserveTimestamps: true });
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    await writeFile(join(directory, 'settings.env'), 'METRICS_PORT=0\n');
    const env = { ...process.env, ...unset, PORT: '0', METRICS_PORT: undefined };
    const args = ['build/scripts/dev.js', '--env-file', 'settings.env'];
    const dev = spawn(process.execPath, args, { cwd: directory, env });
    return new DevProcess(directory, dev);
  }

  path(file: string): string {
    return join(this.directory, file);
  }

  /** Resolves when it has printed this since the previous match. */
  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.printed);
      if (match !== null) {
        this.printed = this.printed.slice(match.index + match[0].length);
        return match;
      }
      await once(this.process.stderr as NodeJS.ReadableStream, 'data');
    }
  }

  /** Resolves with its origin when a service has started. */
  async starts(): Promise<string> {
    return (await this.waitForOutput(/ is at (http\S+)\/v1\n/))[1] ?? '';
  }

  /** Resolves when a service writes this to its log. */
  async logs(pattern: RegExp): Promise<void> {
    for await (const [text] of on(this.process.stdout as NodeJS.ReadableStream, 'data'))
      if (pattern.test(text as string)) return;
  }
}

async function servedTitle(origin: string): Promise<unknown> {
  const response = await fetch(`${origin}/openapi.json`, { headers: { Connection: 'close' } });
  return ((await response.json()) as { info: { title: string } }).info.title;
}

describe('npm run dev', function () {
  this.timeout(120_000);
  let dev: DevProcess;
  let file: string;
  let contract: string;

  beforeEach(async () => {
    dev = await DevProcess.start();
    file = dev.path('spec/petstore.yaml');
    contract = await readFile(file, 'utf8');
  });

  afterEach(() => dev.process.kill('SIGTERM'));

  it('reports and serves changes, continues after errors, and stops all its processes', async () => {
    expect(await servedTitle(await dev.starts())).to.equal('Pet Store');
    // From the file that its arguments name.
    await dev.waitForOutput(/^ {2}Metrics {3}http/m);

    // Many editors write a temporary file and rename it.
    await writeFile(`${file}~`, contract.replace('title: Pet Store', 'title: Pet Shop'));
    await rename(`${file}~`, file);
    await dev.waitForOutput(/^dev: The contract changes:\ndev: {3}docs {5}changed info\/title\n/m);
    const origin = await dev.starts();
    expect(await servedTitle(origin)).to.equal('Pet Shop');

    await writeFile(file, contract.replace('title: Pet Store', 'title: [Pet Store'));
    await dev.waitForOutput(/^dev: spec\/petstore\.yaml:\d+:\d+ .+\ndev: The service keeps running unchanged\.\n/m);
    expect(await servedTitle(origin)).to.equal('Pet Shop');

    await writeFile(file, contract.replaceAll('#/components/schemas/Pet', '#/components/schemas/Cat'));
    await dev.waitForOutput(
      /^dev: spec\/petstore\.yaml:\d+:\d+ Error: Can't resolve \$ref at .+\ndev: The service keeps running unchanged\.\n/m,
    );
    await writeFile(dev.path('src/main.ts'), 'export const port: string = 3;\n');
    await dev.waitForOutput(
      /^dev: src\/main\.ts:1:14: error TS2322: .+\ndev: The service keeps running unchanged\.\n/m,
    );
    expect(await servedTitle(origin)).to.equal('Pet Shop');

    const stopped = dev.logs(/"msg":"stopped"\}\n$/);
    const ended = once(dev.process, 'close');
    dev.process.kill('SIGINT');
    expect(await ended).to.deep.equal([0, null]);
    await stopped;
    expect(await fetch(origin).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
  });

  it('keeps the service running if a change prevents a start, and starts it again after the correction', async () => {
    const origin = await dev.starts();
    const handler = dev.path('src/pets/handlers/get-pet.ts');
    const code = await readFile(handler, 'utf8');

    await writeFile(handler, `${code}throw new Error('Not on import.');\n`);
    const [message] = await dev.waitForOutput(
      /^dev: The service does not start(?:.*\n)*?Error: Not on import\.(?:.*\n)*?dev: The service keeps running unchanged\.\n/m,
    );
    expect(message).to.contain(`${handler}:${String(code.split('\n').length)}:`);
    expect(await servedTitle(origin)).to.equal('Pet Store');

    // The first start of a change has no settings.
    await writeFile(handler, `${code}if (process.env['HOST'] !== undefined) throw new Error('Not with settings.');\n`);
    await dev.waitForOutput(/^Error: Not with settings\.(?:.*\n)*?dev: .+ The previous one starts again\.\n/m);
    expect(await servedTitle(await dev.starts())).to.equal('Pet Store');
    await writeFile(handler, code);
    const restarted = await dev.starts();

    await writeFile(file, Buffer.concat([Buffer.from(contract), Buffer.from('# caf\xe9', 'latin1')]));
    await dev.waitForOutput(/^dev: spec\/petstore\.yaml: .+ utf-8\ndev: The service keeps running unchanged\.\n/m);
    await rm(file);
    await dev.waitForOutput(/^dev: spec\/petstore\.yaml: ENOENT.+\ndev: The service keeps running unchanged\.\n/m);
    expect(await servedTitle(restarted)).to.equal('Pet Store');
    await writeFile(file, contract);
    expect(await servedTitle(await dev.starts())).to.equal('Pet Store');
  });

  it('serves one version of contract and code, whatever is saved during the build and the restart', async () => {
    await dev.starts();
    const stopped = dev.logs(/"msg":"stopped"/);

    await writeFile(file, contract.replace('title: Pet Store', 'title: Pet Shop'));
    await dev.waitForOutput(/^dev: The contract changes:\n/m);
    await writeFile(file, contract.replace('title: Pet Store', 'title: Pet Fair'));
    await stopped;
    await writeFile(file, contract.replaceAll('operationId: getPet', 'operationId: get_pet'));
    const origin = await dev.starts();
    await dev.waitForOutput(
      /^dev: src\/pets\/.+ error TS\d+: .+'getPet'(?:.*\n)*?dev: The service keeps running unchanged\.\n/m,
    );
    expect(await servedTitle(origin)).to.equal('Pet Fair');
  });
});
