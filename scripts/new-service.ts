/**
 * Creates a service in an empty folder, of which the name is that of the service: `npm run new-service -- ../library`.
 * It has the modules of this repository, and `template/` in place of the pets: books, their contract and their tests.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));
const target = resolve(process.argv[2] ?? '');
const name = basename(target);
if (process.argv.length !== 3 || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
  fail('Use: npm run new-service -- ../<name>, with a name in lower-case letters, digits and hyphens.');
if (existsSync(target) && readdirSync(target).length > 0) fail(`${target} is not empty.`);

const modules = ['http', 'openapi', 'rate-limits', 'api-keys', 'database', 'observability', 'json', 'mock'];
const copied = [
  ...modules.map((module) => `src/${module}`),
  ...['src/main.ts', 'src/config.ts', 'src/lib', 'src/cli', 'src/client', 'src/service'],
  ...['src/migrations/sqlite/0002-rate-limit-windows.sql', 'scripts'],
  ...['.dockerignore', '.editorconfig', '.gitignore', '.mocharc.json', '.nvmrc', 'Dockerfile', 'LICENSE'],
  ...['biome.json', 'eslint.config.js', 'package.json', 'package-lock.json', 'tsconfig.json', 'deploy/better-sqlite3'],
];
/** What only this repository needs. */
const omitted =
  /^(src\/cli\/commands\/pets\.ts|scripts\/(bench|new-service|check|check-\w+|client-package|mock-package|compatibility-rules|diff-contract))(\/|\.ts$|$)/;

/** What only the tests and checks that are not copied use. */
const unusedTools = new RegExp(
  '^(@arethetypeswrong|@opentelemetry|@redocly|api-smart-diff|axe-core|dclint|' +
    'dependency-cruiser|dockerfile-utils|knip|kubernetes-models|publint)',
);

/** The project of the tests that import nothing of the pets. */
const moduleTests = 'test/modules/tsconfig.json';
/** What the tests in `template/` need besides. */
const testSupport = ['mocha-stores', 'servers/service', 'postgres/postgres', 'postgres/postgres-server'];

/** The name of the product in its forms, and the resource. Commands, metrics and documents contain them. */
const pascal = name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
const renames: readonly (readonly [RegExp, string])[] = [
  [/Pet Store/g, pascal],
  [/petstore_/g, `${name.replaceAll('-', '_')}_`],
  [/petstore/g, name],
  [/Petstore/g, pascal],
  [/PETSTORE/g, name.toUpperCase().replaceAll('-', '_')],
  // Not within words such as "repeated".
  [/(?<![a-z])pet(?=s?(?![a-z]))/g, 'book'],
  [/Pet(?=s?(?![a-z]))/g, 'Book'],
];

for (const path of [...copied, 'test/tsconfig.json', ...testFiles()])
  cpSync(join(root, path), join(target, path), { recursive: true, filter: isWanted });
cpSync(join(root, 'template'), target, { recursive: true });
for (const engine of ['sqlite', 'postgres']) copyKeyTables(engine);
editFiles();
for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
  if (entry.isFile()) rename(join(entry.parentPath, entry.name));
}
editPackage();
run(process.execPath, [join(root, 'build/scripts/generate.js')]);
// Names have changed the order of imports and the length of lines.
run(join(root, 'node_modules/.bin/biome'), ['check', '--write', '.']);
run('npm', ['install', '--package-lock-only', '--prefer-offline', '--no-audit', '--no-fund']);
console.log(`Created ${target}. Run npm ci && npm start there; README.md describes the next steps.`);

function isWanted(path: string): boolean {
  return !omitted.test(relative(root, path));
}

/** The tests of the modules with the files that they import, and the support of those in `template/`. */
function testFiles(): string[] {
  const config = ts.readConfigFile(join(root, moduleTests), (path) => readFileSync(path, 'utf8')) as {
    config: unknown;
  };
  const { fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, join(root, dirname(moduleTests)));
  const tests = fileNames.map((file) => relative(root, file)).filter((file) => file.startsWith('test/'));
  return [moduleTests, 'test/modules/contract.yaml', ...tests, ...testSupport.map((file) => `test/support/${file}.ts`)];
}

/** The tables of the module `api-keys`, which are in one migration with those of the pets. */
function copyKeyTables(engine: string): void {
  const sql = readFileSync(join(root, `src/migrations/${engine}/0001-pets-and-keys.sql`), 'utf8');
  const start = sql.indexOf('CREATE TABLE quotas');
  if (start < 0) throw new Error('The migrations have no table of quotas.');
  const text = `-- Times are Unix milliseconds.\n\n${sql.slice(start)}`;
  writeFileSync(join(target, `src/migrations/${engine}/0001-api-keys.sql`), text);
}

/** Removes what refers to parts that are not copied, and replaces the body of an example. */
function editFiles(): void {
  edit('src/cli/commands/mock.ts', '{"name":"Rex","categoryId":7}', '{"title":"Emma","author":"Jane Austen"}');
  edit('scripts/test.ts', /.*Every status of the contract.*\n.*mocha-coverage.*\n/, '');
  edit(
    'src/service/create-service.ts',
    'createApplication(stores, measureStore, document, clock)',
    'createApplication(stores, measureStore)',
  );
  // A longer name makes comments longer.
  edit('eslint.config.js', 'ignoreStrings: true', 'ignoreComments: true, ignoreStrings: true');
  edit('test/tsconfig.json', /"exclude": .*\n/, '');
  edit('test/tsconfig.json', /,\s*\{ "path": "second-contract" \},\s*\{ "path": "trains" \}/, '');
}

function edit(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(join(target, path), 'utf8');
  const edited = text.replace(from, to);
  if (edited === text) throw new Error(`${path} does not contain ${String(from)}.`);
  writeFileSync(join(target, path), edited);
}

/** Renames a file, and the product and the resource in it. */
function rename(path: string): void {
  const renamed = join(target, replaceNames(relative(target, path)));
  mkdirSync(dirname(renamed), { recursive: true });
  renameSync(path, renamed);
  if (!path.endsWith('package-lock.json')) writeFileSync(renamed, replaceNames(readFileSync(renamed, 'utf8')));
}

function replaceNames(text: string): string {
  return renames.reduce((renamed, [from, to]) => renamed.replace(from, to), text);
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** Keeps the scripts and the tools that the service has. */
function editPackage(): void {
  const path = join(target, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const edited = {
    ...manifest,
    description: 'A service, served from its OpenAPI contract.',
    scripts: {
      ...omit(manifest.scripts, /^(client|mock|new-service|test:\w+|bench)$/),
      compile: 'npm run --silent build && tsc -b scripts test',
      check: 'npm run --silent compile && biome check . && eslint .',
    },
    devDependencies: omit(manifest.devDependencies, unusedTools),
  };
  writeFileSync(path, `${JSON.stringify(edited, undefined, 2)}\n`);
}

function omit(values: Readonly<Record<string, string>>, names: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.test(name)));
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: target, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) fail(`${command} failed.`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
