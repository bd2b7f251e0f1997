import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { describeWithRedis, sharedRedisUrl } from '@contract-server/test-support/redis/redis-server.js';
import { describeUnless } from '@contract-server/test-support/requirements.js';
import { runTool } from '@contract-server/test-support/run-tool.js';
import { ToolProcess } from '@contract-server/test-support/servers/tool-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import {
  addErrors,
  addLoans,
  addMiddlewareAndRoutes,
  addPostgres,
  contract,
  definition,
  deleteMethod,
  deleteTest,
  problemSchema,
  registerLoans,
  signedToken,
  tests,
  timeContract,
  timeService,
  timeTest,
} from './changes.js';
import { createsAndFinds, Project } from './project.js';

const isReachable = spawnSync('npm', ['ping']).status === 0;
if (!isReachable && (process.env['CI'] ?? '') !== '') throw new Error('The npm registry cannot be reached.');

const handlers = 'src/books/handlers.ts';
const store = 'src/books/book-store.ts';

describeUnless(isReachable ? undefined : 'the npm registry cannot be reached', 'a created service', function () {
  // npm is slow on a busy machine.
  this.timeout(300_000);

  /** Is installed once; the others share its packages. */
  let installed: Project;
  let installation: Awaited<ReturnType<Project['npm']>>;
  let service: Project;
  before(async () => {
    const directory = temporaryDirectory();
    const created = await runTool(directory, 'new', 'library');
    expect(created.code, created.stderr).to.equal(0);
    installed = new Project(join(directory, 'library'));
    installation = await installed.npm('install', '--no-audit', '--no-fund');
  });
  beforeEach(() => (service = installed.copy()));

  it('is installed without warnings, and its tests and checks pass', async () => {
    expect(installation.output).to.match(/^\s*added \d+ packages in \w+\s*$/);
    expect(installation.code).to.equal(0);
    await installed.passes();
    const check = await installed.npm('run', 'check');
    expect(check.code, check.output).to.equal(0);
  });

  it('starts, serves requests, and stops', async () => {
    const { server, baseUrl, apiKey } = await installed.startWithKey();
    await createsAndFinds(baseUrl, apiKey);
    server.kill('SIGTERM');
    expect((await server.finish()).code).to.equal(0);
  });

  it('runs under contract-server dev', async () => {
    const { dev = '' } = (JSON.parse(service.read('package.json')) as { scripts: Record<string, string> }).scripts;
    const [program = '', ...args] = dev.split(' ');
    const { server, baseUrl } = await service.start(args, `node_modules/.bin/${program}`);
    expect((await fetch(`${baseUrl}/books`)).status).to.equal(401);
    server.kill('SIGTERM');
    await server.finish();
  });

  it('creates further services without a registry, from its own package', async () => {
    const program = join(installed.directory, 'node_modules/.bin/contract-server');
    const directory = temporaryDirectory();
    const other = await new ToolProcess(directory, ['new', 'library'], program).finish();
    expect(other).to.include({ code: 0, stderr: '' });
    expect(other.stdout).to.match(/^Created library: 17 files in library\.$/m);
    const packed = (service: Project) => {
      const cwd = join(service.directory, 'vendor');
      const list = (name: string) =>
        spawnSync('tar', ['-tzf', name], { cwd, encoding: 'utf8' }).stdout.split('\n').sort();
      return readdirSync(cwd).map((name) => [name, list(name)]);
    };
    expect(packed(new Project(join(directory, 'library')))).to.deep.equal(packed(installed));
  });

  it('runs in production as the Dockerfile builds it', async () => {
    rmSync(join(service.directory, 'node_modules'));
    const steps = /^RUN npm ci && (.+)$/m.exec(service.read('Dockerfile'))?.[1] ?? '';
    spawnSync('cp', ['-R', join(installed.directory, 'node_modules'), service.directory]);
    for (const ignored of service.read('.dockerignore').trim().split('\n'))
      if (ignored !== 'node_modules') rmSync(join(service.directory, ignored), { recursive: true, force: true });
    const { code, output } = await service.run('sh', '-c', steps);
    expect(code, output).to.equal(0);
    expect(readdirSync(join(service.directory, 'node_modules')))
      .not.to.include('typescript')
      .and.not.include('mocha');
    const { baseUrl, apiKey } = await service.startWithKey();
    await createsAndFinds(baseUrl, apiKey);
  });

  it('passes with another path prefix', async () => {
    service.replace(contract, 'url: /v1', 'url: /library/api');
    await service.passes();
  });

  it('passes without a path prefix', async () => {
    service.replace(contract, 'servers:\n  - url: /v1\n', '');
    await service.passes();
  });

  it('passes without plans', async () => {
    const [plans = ''] = /^x-rate-limit-plans:\n.+\n/m.exec(service.read(contract)) ?? [];
    service.replace(contract, plans, '');
    await service.passes();
  });

  it('fails with a new field until its tests, its column and its statement have it', async () => {
    service.insert(contract, '    Error:\n      type', '        year: { type: integer, example: 1965 }\n');
    await service.failsWith("Property 'year' is missing in type");
    service.replace(tests, "author: 'Frank Herbert' }", "author: 'Frank Herbert', year: 1965 }");
    await service.failsWith("to deeply equal { id: 1, title: 'Dune'", '"year": 1965');
    service.write('migrations/sqlite/0002-year.sql', 'ALTER TABLE books ADD COLUMN year INTEGER;\n');
    for (const [columns, extended] of [
      ['insert({ title, author }', 'insert({ title, author, year }'],
      ['(title, author) VALUES ($1, $2)', '(title, author, year) VALUES ($1, $2, $3)'],
      ['[title, author]', '[title, author, year]'],
    ] as const)
      service.replace(store, columns, extended);
    await service.passes();
  });

  it('fails with a new operation until it has a handler, its store, and a test', async () => {
    service.insert(contract, '\ncomponents:', service.example('operationId: deleteBook').replaceAll(/^/gm, '    '));
    await service.failsWith("Property 'deleteBook' is missing in type");
    service.insert(handlers, '  }) satisfies', `\n${service.example('deleteBook: async')}`);
    await service.failsWith("Property 'delete' does not exist on type 'BookStore'");
    const last = '    return book as Book;\n  }\n';
    service.replace(store, last, `${last}${deleteMethod}`);
    await service.failsWith('5 passing', 'not covered by tests:\n  deleteBook 204');
    service.replace(tests, "'get' | 'post'", "'get' | 'post' | 'delete'");
    service.insert(tests, "  it('getBook returns 404", deleteTest);
    await service.passes();
  });

  it('serves another resource from a copy of the first one', async () => {
    addLoans(service);
    await service.failsWith('is missing the following properties', 'listLoans, createLoan, getLoan');
    registerLoans(service);
    await service.passes();
  });

  it('fails with another contract until its handlers, its stores and its tests are others', async () => {
    service.write(contract, timeContract);
    await service.failsWith(`Type '"Book"' does not satisfy the constraint`);
    for (const path of ['src/books', 'migrations', tests]) rmSync(join(service.directory, path), { recursive: true });
    service.write(definition, timeService);
    service.write('src/test/time.test.ts', timeTest);
    await service.passes();
  });

  it('fails with JWT instead of API keys until its security and its tests are others', async () => {
    await installed.npm('install', '--no-save', 'jose');
    service.replace(contract, '- apiKey: []', '- token: []');
    service.replace(contract, 'apiKey: { type', 'token: { type');
    await service.failsWith("Property 'token' is missing in type");
    const [settings = '', security = ''] = service.example('jwtSecret').split('security:');
    service.replace(definition, '  security: { apiKey: apiKeys() },\n', `  security:${security}`);
    service.insert(definition, '  stores: {', settings);
    service.replace(definition, "import { apiKeys } from 'contract-server/api-keys';\n", '');
    service.insert(definition, 'import type { Contract }', "import { jwtVerify } from 'jose';\n");
    await service.failsWith('JWT_SECRET is missing.');
    service.replace(
      tests,
      'startService(service)',
      "startService(service, { settings: { JWT_SECRET: 'a'.repeat(32) } })",
    );
    await service.failsWith('The service has no API keys.');
    service.replace(tests, 'await tested.createApiKey()', signedToken);
    service.insert(tests, 'import type { NewBook', "import { SignJWT } from 'jose';\n");
    await service.failsWith("expected { code: 'invalid_credentials'");
    service.replace(tests, 'invalid_api_key', 'invalid_credentials');
    await service.passes();
  });

  it('has other error bodies', async () => {
    addErrors(service);
    await service.failsWith('returns 404, which the contract does not allow');
    const [, schema = '', rest = ''] = /(    Error:\n[^]*?)\n  responses:([^]*)/.exec(service.read(contract)) ?? [];
    service.replace(contract, schema, problemSchema);
    service.replace(contract, rest, rest.replace('application/json', 'application/problem+json'));
    await service.failsWith("'No book has the id 7.'");
    service.replace(tests, ".expect(404, { code: 'book_not_found', message, status: 404 })", '.expect(404)');
    service.replace(tests, ".expect(400, { code: 'invalid_request', message, status: 400 })", '.expect(400)');
    service.write(tests, service.read(tests).replaceAll(/^.+const message = .+\n/gm, ''));
    await service.passes();
  });

  it('has Express middleware and routes', async () => {
    await installed.npm('install', '--no-save', 'compression', '@types/compression');
    addMiddlewareAndRoutes(service);
    await service.passes();
    const { baseUrl, apiKey } = await service.startWithKey();
    expect(await (await fetch(new URL('/version', baseUrl))).json()).to.deep.equal({ version: '0.1.0' });
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ title: 'T'.repeat(200), author: 'A'.repeat(200) });
    for (let count = 0; count < 5; count += 1) await fetch(`${baseUrl}/books`, { method: 'POST', headers, body });
    expect((await fetch(`${baseUrl}/books`, { headers })).headers.get('content-encoding')).to.equal('gzip');
  });

  describePostgres('with PostgreSQL', () => {
    it('serves requests', async () => {
      await installed.npm('install', '--no-save', 'pg');
      addPostgres(service);
      await service.passes();
      service.write('settings.env', `DATABASE_URL=${await (await sharedPostgres()).createDatabase()}\n`);
      const options = ['--settings', 'settings.env'];
      const { baseUrl } = await service.start([...options, 'serve']);
      const create = [...options, 'keys', 'create', '--name', 'test', '--plan', 'standard', '--json'];
      const { stdout } = await new ToolProcess(
        service.directory,
        create,
        join(service.directory, 'dist/main.js'),
      ).finish();
      await createsAndFinds(baseUrl, (JSON.parse(stdout) as { readonly token: string }).token);
    });
  });

  describeWithRedis('with Redis', () => {
    it('counts requests in it', async () => {
      await installed.npm('install', '--no-save', '@redis/client');
      service.insert(definition, '  reference:', '  quotas: redisQuotas(),\n');
      service.insert(definition, 'import { sqlite }', "import { redisQuotas } from 'contract-server/redis';\n");
      const settings = `{ settings: { REDIS_URL: '${await sharedRedisUrl()}' } }`;
      service.replace(tests, 'startService(service)', `startService(service, ${settings})`);
      await service.passes();
    });
  });

  it('has a CI that fails if the contract breaks clients of the last release', async () => {
    const steps = (parse(service.read('.github/workflows/ci.yml')) as Workflow).jobs.test.steps;
    const compare = () => service.run('bash', '-e', '-c', steps.at(-1)?.run ?? '');
    const git = (...args: readonly string[]) =>
      service.run('git', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args);
    await git('init');
    await git('add', '.');
    await git('commit', '--message', 'Release');
    expect((await compare()).code).to.equal(0);
    await git('tag', 'v0.1.0');
    expect(await compare()).to.deep.equal({ code: 0, output: '0 changes since 0.1.0.\n' });
    service.replace(contract, 'maximum: 100, default: 20', 'maximum: 50, default: 20');
    const { code, output } = await compare();
    expect(output).to.include('1 change breaks clients of 0.1.0');
    expect(code).to.equal(1);
    service.replace(contract, 'version: 0.1.0', 'version: 0.2.0');
    expect((await compare()).code).to.equal(0);
  });
});

interface Workflow {
  readonly jobs: { readonly test: { readonly steps: readonly { readonly run?: string }[] } };
}
