import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { copyProject } from '../support/copy-project.js';
import { ServerProcess } from '../support/servers/server-process.js';

describe('npm run dev', function () {
  this.timeout(300_000);
  let directory: string;
  let dev: ServerProcess;

  before(async () => {
    directory = await copyProject();
    await writeFile(join(directory, 'settings.env'), 'METRICS_PORT=0\n');
    const command = ['build/scripts/dev.js', '--settings', 'settings.env'];
    dev = new ServerProcess({}, { command, setUp: `cd ${directory} && unset METRICS_PORT` });
  });

  after(() => {
    dev.kill('SIGTERM');
  });

  /** Resolves when it has printed this since the previous match. */
  async function prints(pattern: RegExp): Promise<string> {
    await dev.waitForStderr(pattern);
    const match = pattern.exec(dev.stderr);
    dev.stderr = dev.stderr.slice((match?.index ?? 0) + (match?.[0].length ?? 0));
    return match?.[1] ?? '';
  }

  const starts = () => prints(/ is at (http\S+)\/v1\n/);

  async function served(origin: string): Promise<string> {
    return (await fetch(`${origin}/openapi.json`, { headers: { Connection: 'close' } })).text();
  }

  async function servedTitle(origin: string): Promise<string> {
    return (JSON.parse(await served(origin)) as { info: { title: string } }).info.title;
  }

  it('serves each change, continues after errors, which it locates, and stops the service when it stops', async () => {
    const file = join(directory, 'spec/petstore.yaml');
    const contract = await readFile(file, 'utf8');
    expect(await servedTitle(await starts())).to.equal('Pet Store');
    // From the file that its arguments name.
    await prints(/^ {2}Metrics {3}http/m);

    // Many editors write a temporary file and rename it.
    await writeFile(`${file}~`, contract.replace('title: Pet Store', 'title: Pet Shop'));
    await rename(`${file}~`, file);
    const origin = await starts();
    expect(await servedTitle(origin)).to.equal('Pet Shop');

    const handler = join(directory, 'src/pets/handlers/get-pet.ts');
    const code = await readFile(handler, 'utf8');
    for (const [path, text, error] of [
      [file, contract.replace('title: Pet Store', 'title: [Pet Store'), /spec\/petstore\.yaml:\d+:\d+ .+/],
      [
        file,
        contract.replaceAll('#/components/schemas/Pet', '#/components/schemas/Cat'),
        /spec\/petstore\.yaml:\d+:\d+ listPets: Can't resolve \$ref\./,
      ],
      [handler, `${code}export const port: string = 3;\n`, /src\/pets\/handlers\/get-pet\.ts:\d+:14: error TS2322: .+/],
    ] as const) {
      await writeFile(file, contract);
      await writeFile(path, text);
      await prints(new RegExp(`^dev: ${error.source}(?:\n.*)*?\ndev: The service keeps running unchanged\\.\n`, 'm'));
      expect(await servedTitle(origin)).to.equal('Pet Shop');
    }

    await writeFile(handler, `${code}throw new Error('Not today.');\n`);
    await prints(/^dev: The service exited \(1\)\. It starts again after the next change\.\n/m);
    await writeFile(handler, code);
    expect(await servedTitle(await starts())).to.equal('Pet Store');

    // Two examples in other files, of `spec/` and elsewhere.
    const parts = { CreatedDog: 'parts/dog.yaml', MalformedUrl: '../shared/malformed-url.yaml' };
    let split = contract;
    for (const [name, path] of Object.entries(parts)) {
      const example = new RegExp(` {4}${name}:\\n((?: {6}.+\\n)+)`);
      await mkdir(dirname(join(directory, 'spec', path)), { recursive: true });
      await writeFile(join(directory, 'spec', path), example.exec(split)?.[1]?.replace(/^ {6}/gm, '') ?? '');
      split = split.replace(example, `    ${name}: { $ref: ${path} }\n`);
    }
    await writeFile(file, split);
    let last = await starts();
    for (const path of Object.values(parts)) {
      const part = await readFile(join(directory, 'spec', path), 'utf8');
      await writeFile(join(directory, 'spec', path), part.replace(/summary: .+/, `summary: From ${path}`));
      last = await starts();
      expect(await served(last)).to.contain(`From ${path}`);
    }

    dev.kill('SIGINT');
    expect(await dev.ended).to.deep.equal({ code: 0, signal: null });
    expect(await fetch(last).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
  });
});
