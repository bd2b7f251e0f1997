import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closeLater } from '@contract-server/test-support/closing.js';
import { packedNames } from '@contract-server/test-support/packed-packages.js';
import { runTool } from '@contract-server/test-support/run-tool.js';
import { ToolProcess } from '@contract-server/test-support/servers/tool-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { Project } from './project.js';

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const library = fileURLToPath(new URL('../../../', import.meta.url));
const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The version of an installed package of this workspace. */
function versionOf(name: string): string | undefined {
  const folder = join(library, '../../node_modules', name);
  return existsSync(folder) ? manifestIn(folder).version : undefined;
}

describe('contract-server new', () => {
  let parent = '';
  beforeEach(() => (parent = temporaryDirectory()));
  const { version } = manifestIn(library);
  const names = packedNames(version);
  /** Take the place of the packed library, which takes seconds to pack. */
  let packed = '';
  before(() => {
    packed = temporaryDirectory();
    for (const name of names) writeFileSync(join(packed, name), `packed ${name}`);
  });
  const create = (...args: readonly string[]) => runTool(parent, 'new', ...args, '--packages', packed);
  const filesIn = (folder: string) =>
    readdirSync(join(parent, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(parent, folder, path)).isFile() && !path.endsWith('.tgz'))
      .sort();

  it('writes a service, and prints the next steps', async () => {
    const real = new ToolProcess(parent, ['new', './book-shop', '--packages', packed]);
    expect(await real.finish()).to.deep.equal({
      code: 0,
      stdout: `Created book-shop: 17 files in ./book-shop.

  cd ./book-shop
  npm install
  npm test
  npm start     # prints an API key, and a request to try

README.md shows how to add operations, PostgreSQL, JWT and more.
`,
      stderr: '',
    });
    expect(filesIn('book-shop')).to.deep.equal([
      ...['.dockerignore', '.github/workflows/ci.yml', '.gitignore', 'Dockerfile', 'README.md'],
      ...['generated/contract.d.ts', 'generated/contract.js', 'migrations/sqlite/0001-books.sql'],
      ...['package.json', 'spec/book-shop.yaml'],
      ...['src/books/book-store.ts', 'src/books/handlers.ts'],
      ...['src/main.ts', 'src/service.ts', 'src/test/books.test.ts', 'src/test/coverage.ts', 'tsconfig.json'],
    ]);
  });

  it('writes the name into every file that has the one of the template', async () => {
    await create('book-shop');
    const texts = filesIn('book-shop').map((path) => readFileSync(join(parent, 'book-shop', path), 'utf8'));
    expect(texts.join('\n')).not.to.match(/my.service/i);
    const shop = new Project(join(parent, 'book-shop'));
    expect(shop.read('spec/book-shop.yaml')).to.include('title: Book shop\n');
    expect(shop.read('src/service.ts')).to.include("name: 'book-shop',\n");
    expect(shop.read('package.json')).to.include('"name": "book-shop",\n');
  });

  it('refers in its README to the README of contract-server, and to its headings', async () => {
    await create('library');
    const readme = readFileSync(join(library, 'README.md'), 'utf8');
    const anchors = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    );
    const links = new Project(join(parent, 'library')).read('README.md').matchAll(/\]\(([^)#]+)#?([^)]*)\)/g);
    const targets = [...links].map(([, path = '', anchor = '']) => ({ path, anchor }));
    expect(targets).not.to.deep.equal([]);
    for (const { path, anchor } of targets) {
      expect(path).to.equal('node_modules/contract-server/README.md');
      if (anchor !== '') expect(anchors).to.include(anchor);
    }
  });

  it('writes fewer than 500 lines besides the generated types', async () => {
    await create('library');
    const paths = filesIn('library').filter((path) => !path.startsWith('generated/'));
    const texts = paths.map((path) => readFileSync(join(parent, 'library', path), 'utf8'));
    expect(texts.join('').split('\n').length).to.be.lessThan(500);
  });

  it('contains the library that has created it, and depends on the versions with which that is tested', async () => {
    expect(await runTool(parent, 'new', 'library')).to.include({ code: 0, stderr: '' });
    const manifest = manifestIn(join(parent, 'library'));
    const isOther = ([, wanted]: [string, string]) => !wanted.startsWith('file:');
    const dependencies = Object.fromEntries(Object.entries(manifest.dependencies).filter(isOther));
    const file = join(parent, 'library/vendor', `contract-server-${version}.tgz`);
    const listed = spawnSync('tar', ['-tzf', file], { encoding: 'utf8' }).stdout.split('\n');
    const paths = ['package.json', 'README.md', 'bin/contract-server.js', 'dist/index.d.ts', 'template/_gitignore'];
    expect(listed).to.include.members(paths.map((path) => `package/${path}`));
    // This workspace does not use rimraf.
    const { rimraf: _, ...devDependencies } = Object.fromEntries(
      Object.entries(manifest.devDependencies).filter(isOther),
    );
    const tested = manifestIn(join(library, '../..'));
    const sqlite = `^${versionOf('better-sqlite3') ?? versionOf('better-sqlite3-node20') ?? ''}`;
    expect({ ...tested.dependencies, ...tested.devDependencies, 'better-sqlite3': sqlite }).to.include({
      ...dependencies,
      ...devDependencies,
    });
  });

  it('depends on packed files, which it copies', async () => {
    expect(await create('library')).to.include({ code: 0 });
    const { dependencies, devDependencies } = manifestIn(join(parent, 'library'));
    const fileOf = (name: string) => `file:vendor/contract-server${name}-${version}.tgz`;
    expect(dependencies).to.include({
      'contract-server': fileOf(''),
      '@contract-server/client': fileOf('-client'),
      '@contract-server/core': fileOf('-core'),
      '@contract-server/diff': fileOf('-diff'),
    });
    expect(devDependencies).to.include({ '@contract-server/testing': fileOf('-testing') });
    for (const name of names)
      expect(readFileSync(join(parent, 'library/vendor', name), 'utf8')).to.equal(`packed ${name}`);
  });

  it('names a packed file that its folder lacks', async () => {
    const folder = temporaryDirectory();
    const { code, stderr } = await runTool(parent, 'new', 'library', '--packages', folder);
    const message = `error: ${folder} has no file contract-server-client-<version>.tgz\n`;
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: message });
  });

  it('names the option that needs no npm if there is none', () => {
    const program = fileURLToPath(import.meta.resolve('#src/cli/contract-server.js'));
    const args = [program, 'new', 'library'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: parent, env: { PATH: '' }, encoding: 'utf8' });
    expect([status, stderr]).to.deep.equal([
      1,
      'error: npm cannot pack contract-server: no such file or directory; pack the packages of contract-server ' +
        'yourself, and name their folder with --packages\n',
    ]);
    expect(readdirSync(parent)).to.deep.equal([]);
  });

  it('takes another name, and an existing folder that is empty or an empty repository', async () => {
    mkdirSync(join(parent, "Ann's books/.git"), { recursive: true });
    const { code, stdout } = await create("Ann's books", '--name', 'library');
    expect(code).to.equal(0);
    expect(stdout).to.include(`Created library: 17 files in Ann's books.\n\n  cd 'Ann'\\''s books'\n`);
  });

  it('refuses folders that contain something, without changing them', async () => {
    mkdirSync(join(parent, 'library'));
    writeFileSync(join(parent, 'library/notes.txt'), '');
    const { code, stderr } = await create('library');
    expect([code, stderr]).to.deep.equal([
      1,
      `error: ${join(parent, 'library')} is not empty; name a folder that does not exist or is empty\n`,
    ]);
    expect(filesIn('library')).to.deep.equal(['notes.txt']);
    expect(await create('library/notes.txt', '--name', 'library')).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: `error: ${join(parent, 'library/notes.txt')} is not a folder\n`,
    });
  });

  for (const name of ['Library', '2books', 'book_shop', 'books-', 'a--b', 'express', 'contract-server', 'chai', '@a/b'])
    it(`refuses the name ${name}`, async () => {
      const given = await create('folder', '--name', name);
      expect([given.code, given.stderr.split(';')[0]]).to.deep.equal([
        2,
        `error: option '--name <name>' argument '${name}' is invalid`,
      ]);
      expect(readdirSync(parent)).to.deep.equal([]);
    });

  it('refuses the name of a folder that is not one of a service', async () => {
    expect(await create('Library')).to.deep.equal({
      code: 2,
      stdout: '',
      stderr:
        'error: the folder Library needs --name: use lower-case letters and digits, with hyphens between them, ' +
        'beginning with a letter\n',
    });
  });

  it('creates a service whose types are generated, and whose tests pass, with the packages of this workspace', async function () {
    this.timeout(120_000);
    mkdirSync(join(library, 'build'), { recursive: true });
    const folder = mkdtempSync(join(library, 'build/created-'));
    closeLater(() => rmSync(folder, { recursive: true }));
    expect(await create(folder, '--name', 'library')).to.include({ code: 0 });
    const service = new Project(folder);
    const check = await service.npm('run', 'check');
    expect(check.code, check.output).to.equal(0);
    // Not the configuration of mocha of this workspace.
    const { code, output } = await service.npm('test', '--', '--no-config');
    expect(code, output).to.equal(0);
    expect(output).to.include('5 passing').and.include('statuses    4 of 4');
  });
});
