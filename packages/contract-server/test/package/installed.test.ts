import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { writeFiles } from '@contract-server/test-support/servers/tool-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { parse, stringify } from 'yaml';
import { listening, Project, pack, repository, run } from './project.js';
import {
  files,
  installCommandOf,
  installRouter,
  installService,
  optionsForJwt,
  otherCommands,
  runRouter,
  runService,
  transcript,
} from './readme.js';

const emma = { isbn: '9780141439587', title: 'Emma' };
const requiredPeers = ['ajv', 'ajv-formats', 'express', 'express-rate-limit', 'openapi-backend'];
const optionalPeers = ['@redis/client', 'better-sqlite3', 'pg', 'prom-client'];

const isNode20 = process.versions.node.startsWith('20.');

/** A service without stores. */
const plainService = `
import { createService } from 'contract-server';
const service = createService()({
  name: 'library',
  contract: new URL('contract.yaml', import.meta.url),
  create: () => ({ handlers: { getBook: async ({ path }) => ({ status: 200, body: { ...path, title: 'Emma' } }) } }),
});
await service.run(process);
`;

/** A service with the settings and the security of the README of a created service. */
const serviceWithJwt = `
import { createService } from 'contract-server';
import { jwtVerify } from 'jose';
import type { Contract } from '../generated/contract.js';

export const service = createService<Contract>()({
  name: 'library',
  contract: new URL('../contract.yaml', import.meta.url),
  ${optionsForJwt}
  create: () => ({
    handlers: {
      getBook: async ({ path }, { caller }) => ({ status: 200, body: { ...path, title: 'For ' + caller.id } }),
    },
  }),
});
`;

/** The contract of the README with the security scheme of its section about security. */
function withToken(contract: string): string {
  const document = parse(contract) as { readonly components: object };
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' } };
  return stringify({ ...document, security: [{ token: [] }], components: { ...document.components, securitySchemes } });
}

describe('the package, packed and installed as its README says', function () {
  // npm and the compiler are slow on a busy machine.
  this.timeout(180_000);

  let packages: ReadonlyMap<string, readonly string[]>;
  /** The files of contract-server. */
  let packed: readonly string[];
  /** What npm prints to stderr during the installation. */
  let warnings: string;
  /** With what the router needs, and without any optional package except for the compiler. */
  let bare: Project;
  /** With what the service and its tests need. */
  let full: Project;

  before(async () => {
    const folder = temporaryDirectory();
    packages = await pack(folder);
    packed = packages.get('contract-server') ?? [];
    [bare, full] = [new Project(join(folder, 'bare')), new Project(join(folder, 'full'))];
    mkdirSync(bare.folder);
    const first = await bare.shell(installRouter);
    writeFiles(bare.folder, files);
    await bare.shell('npx contract-server generate contract.yaml');
    await run('cp', ['--archive', bare.folder, full.folder]);
    const installSqlite = isNode20 ? installCommandOf('better-sqlite3@12') : installService.trim();
    const second = await full.shell(`${installSqlite}\n${installCommandOf('supertest')}`);
    full.link('jose');
    // For Node.js 20, SQLite is compiled in this repository, which takes a minute.
    if (isNode20) full.link('better-sqlite3', 'better-sqlite3-node20');
    warnings = first.stderr + second.stderr;
  });

  it('installs without a warning', () => {
    expect(warnings).to.equal('');
  });

  it('contains every file of the template of services', () => {
    const template = join(repository, 'packages/contract-server/template');
    const files = readdirSync(template, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map(({ parentPath, name }) => relative(dirname(template), join(parentPath, name)));
    expect(packed.filter((path) => path.startsWith('template/'))).to.have.members(paths);
  });

  it('contains the build with types and source maps, the sources, the README and the license, and no tests', () => {
    const built = packed.filter((path) => !path.startsWith('template/'));
    const others = built.filter((path) => !/^(dist|lua|migrations|src|viewer)\//.test(path));
    const documents = ['LICENSE', 'README.md', 'docs/contracts.md'];
    expect(others).to.have.members([...documents, 'package.json', 'bin/contract-server.js']);
    expect(built.filter((path) => /tsconfig|tsbuildinfo|\.test\.|^(dist|src)\/test\//.test(path))).to.deep.equal([]);
    expect(packed).to.include.members(['dist/viewer.js', 'dist/viewer.js.br', 'dist/viewer.js.gz']);
    const modules = packed
      .filter((path) => /^src\/.*\.ts$/.test(path))
      .map((path) => path.slice('src/'.length, -'.ts'.length));
    expect(modules).to.include.members(['index', 'sqlite', 'cli/contract-server']);
    for (const module of modules)
      expect(packed).to.include.members(
        ['.js', '.js.map', '.d.ts', '.d.ts.map'].map((type) => `dist/${module}${type}`),
      );
    for (const folder of ['lua', 'migrations', 'viewer']) {
      const own = readdirSync(join(repository, 'packages/contract-server', folder), {
        recursive: true,
        encoding: 'utf8',
      });
      const files = own.filter((path) => /\.\w+$/.test(path)).map((path) => `${folder}/${path}`);
      expect(packed).to.include.members(files);
    }
  });

  it('has further packages with their builds, sources, README and license alone', () => {
    for (const [name, files] of packages) {
      if (name === 'contract-server') continue;
      const others = files.filter((path) => !/^(dist|src)\/.*\.(ts|js|map)$/.test(path));
      expect(others, name).to.have.members(['LICENSE', 'README.md', 'package.json']);
      expect(files.filter((path) => path.endsWith('.d.ts')).length, name).to.be.above(0);
    }
  });

  it('requires only the packages that every application needs', () => {
    const manifest = JSON.parse(
      readFileSync(join(bare.folder, 'node_modules/contract-server/package.json'), 'utf8'),
    ) as {
      readonly peerDependencies: Readonly<Record<string, string>>;
      readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
    };
    const { peerDependencies: peers, peerDependenciesMeta: meta } = manifest;
    expect(Object.keys(peers).filter((name) => meta[name]?.optional !== true)).to.have.members(requiredPeers);
    const compilers = ['openapi-typescript', 'typescript'];
    expect(Object.keys(meta)).to.have.members([...optionalPeers, ...compilers]);
    expect(optionalPeers.filter((name) => existsSync(join(bare.folder, 'node_modules', name)))).to.deep.equal([]);
  });

  it('runs the example of a router, without any optional package', async () => {
    const port = String(await freePort());
    writeFiles(bare.folder, { 'app.ts': files['app.ts']?.replace('8080', port) });
    const [generate, compile, start, ...rest] = runRouter.trim().split('\n');
    expect([start, rest]).to.deep.equal(['node app.js', []]);
    const { stdout } = await bare.shell(`${String(generate)} && ${String(compile)}`);
    expect(stdout).to.equal('generated/contract.d.ts is up to date: 1 operation, 1 schema.\n');
    await listening(bare.start('app.js'), port);
    expect(transcript).to.have.length(2);
    for (const { command, output } of transcript) {
      const shown = await bare.shell(command.replace('8080', port));
      expect(`${shown.stdout}\n`, command).to.equal(output);
    }
    writeFiles(bare.folder, { 'src/client.ts': files['src/client.ts']?.replace('8080', port) });
    const options = '--module nodenext --target es2023 --strict --rootDir src --outDir dist';
    const client = await bare.shell(`npx tsc src/client.ts ${options} && node dist/client.js`);
    expect(client.stdout).to.equal('Emma\n');
  });

  it('runs a service without stores, diff and the mock, without any optional package', async () => {
    const port = String(await freePort());
    writeFiles(bare.folder, { 'service.mjs': plainService });
    await listening(bare.start('service.mjs', { PORT: port }), port);
    const response = await fetch(`http://127.0.0.1:${port}/books/${emma.isbn}`);
    expect(await response.json()).to.deep.equal(emma);
    const diff = await bare.tool('diff', 'contract.yaml', 'contract.yaml').finish();
    expect(diff).to.deep.equal({ code: 0, stdout: '0 changes since 1.0.0.\n', stderr: '' });
    const [line] = await bare.tool('mock', 'contract.yaml', '--json').prints('stdout', /^.+\n/);
    const { baseUrl } = JSON.parse(line) as { readonly baseUrl: string };
    for (const path of [`/books/${emma.isbn}`, '/docs', '/openapi.yaml'])
      expect((await fetch(`${baseUrl}${path}`)).status, path).to.equal(200);
  });

  it('runs the example of a service with contract-server dev, and its tests', async () => {
    expect([runService, otherCommands]).to.deep.equal(['npx contract-server dev\n', []]);
    const [, ...args] = runService.trim().split(' ').slice(1);
    const dev = full.tool(...args);
    const [, baseUrl] = await dev.prints('stderr', /Library 1\.0\.0 is at (\S+)\n/);
    expect(await (await fetch(`${String(baseUrl)}/books/${emma.isbn}`)).json()).to.deep.equal(emma);
    expect(existsSync(join(full.folder, 'data/library.db'))).to.equal(true);
    dev.kill('SIGTERM');
    await dev.finish();
    const { stdout } = await full.shell('node --test --test-reporter tap dist/books.test.js');
    expect(stdout).to.match(/^# pass 1$/m);
  });

  it('compiles the examples with the strictest options', async () => {
    await full.compile('app.ts', 'src/main.ts', 'src/errors.ts', 'src/books.test.ts');
  });

  it('runs the example of settings and security that it refers to', async () => {
    const secured = new Project(join(full.folder, 'secured'));
    const { 'src/main.ts': main, 'src/errors.ts': errorsTs, 'tsconfig.json': tsconfig } = files;
    const sources = { 'src/service.ts': serviceWithJwt, 'src/errors.ts': errorsTs, 'src/main.ts': main };
    writeFiles(secured.folder, {
      ...sources,
      'tsconfig.json': tsconfig,
      'contract.yaml': withToken(String(files['contract.yaml'])),
    });
    await full.shell(
      'cd secured && npx contract-server generate contract.yaml && npx tsc --exactOptionalPropertyTypes --skipLibCheck',
    );
    const missing = await secured.start('dist/main.js').ended;
    expect(missing).to.deep.equal({ code: 2, stderr: 'error: JWT_SECRET is missing; verifies tokens\n' });
    const [port, key] = [String(await freePort()), 'a key of the tests, with 32 characters'];
    const url = `http://127.0.0.1:${port}/books/${emma.isbn}`;
    await listening(secured.start('dist/main.js', { PORT: port, JWT_SECRET: key }), port);
    expect((await fetch(url)).status).to.equal(401);
    const claims = new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject('ann');
    const Authorization = `Bearer ${await claims.sign(new TextEncoder().encode(key))}`;
    const response = await fetch(url, { headers: { Authorization } });
    expect(await response.json()).to.deep.equal({ isbn: emma.isbn, title: 'For ann' });
  });
});
