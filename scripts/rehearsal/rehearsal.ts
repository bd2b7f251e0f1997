/**
 * Adds three operations to a copy of the repository by following the steps of the README, and checks and tests the
 * copy. Fails also if a file changes that the steps do not name. The operations are no part of the contract:
 * `operations/` has their new files, and `insertions.yaml` has what they add to existing files.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { copyProject } from '../copy-project.js';

/** Text to add before or after a line that occurs once in a file. */
interface Insertion {
  readonly file: string;
  readonly before?: string;
  readonly after?: string;
  readonly text: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const source = join(root, 'scripts/rehearsal');
const copy = mkdtempSync(join(tmpdir(), 'petstore-rehearsal-'));

/** The tests that read the operations from the contract, those of the stores, and those of the new operations. */
const tests = [
  'test/openapi',
  'test/mock',
  'test/http/middleware',
  'test/http/docs',
  'test/database/sqlite/stores.test.ts',
  'test/database/postgres/stores.test.ts',
  ...readdirSync(join(source, 'operations/test/pets')).map((file) => `test/pets/${file}`),
];

const steps: Readonly<Record<string, () => void>> = {
  copy: copyRepository,
  add: addOperations,
  generate: () => run('npm run --silent generate && npx biome check --write .'),
  files: checkFiles,
  check: () => run('npm run --silent check'),
  // A test that fails may leave a server open: without --exit, mocha would not end.
  test: () => run(`node build/scripts/test.js ${tests.join(' ')} --reporter dot --exit`),
};

for (const [name, step] of Object.entries(steps)) {
  const startedAt = performance.now();
  const error = errorOf(step);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
  console.log(`${error === undefined ? '✔' : '✖'} ${name.padEnd(10)} ${seconds} s`);
  if (error !== undefined) {
    console.error(`${error}\nThe copy is ${copy}.`);
    process.exit(1);
  }
}
rmSync(copy, { recursive: true });

/** Copies the files of the repository and commits them, so that git lists what changes. */
function copyRepository(): void {
  copyProject(root, copy);
  symlinkSync(realpathSync(join(root, 'node_modules')), join(copy, 'node_modules'));
  run(
    'git init --quiet && git add --all && git -c user.name=x -c user.email=x@x.example -c commit.gpgsign=false ' +
      'commit --quiet --message x',
  );
}

function addOperations(): void {
  cpSync(join(source, 'operations'), copy, { recursive: true });
  for (const insertion of parse(readFileSync(join(source, 'insertions.yaml'), 'utf8')) as Insertion[])
    insert(insertion);
}

/** @throws if the line does not occur exactly once. */
function insert({ file, before, after, text }: Insertion): void {
  const path = join(copy, file);
  const line = `${before ?? after ?? ''}\n`;
  const parts = `\n${readFileSync(path, 'utf8')}`.split(`\n${line}`);
  if (parts.length !== 2) throw new Error(`${file} has this line ${String(parts.length - 1)} times: ${line}`);
  const inserted = before === undefined ? `${line}${text}` : `${text}${line}`;
  writeFileSync(path, parts.join(`\n${inserted}`).slice(1));
}

/** @throws if a file has changed that is neither named in the steps of the README nor in a folder named there. */
function checkFiles(): void {
  const readme = readFileSync(join(copy, 'README.md'), 'utf8');
  const [, numberedSteps = ''] = /^### Add an operation$.*?^(1\. .*?)\n\n/ms.exec(readme) ?? [];
  const named = [...numberedSteps.matchAll(/`([\w./-]+)`/g)].map(([, path = '']) => path);
  const changed = run('git status --porcelain --untracked-files=all')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(3));
  const unnamed = changed.filter(
    (file) => !named.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path)),
  );
  if (unnamed.length > 0) throw new Error(`The steps of the README do not name these files: ${unnamed.join(', ')}.`);
  const product = changed.filter((file) => file.startsWith('src/'));
  console.log(`${String(changed.length)} files, ${String(product.length)} of them in src: ${product.join(', ')}`);
}

function errorOf(step: () => void): string | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** @throws with the output of a command that fails. */
function run(command: string): string {
  const options = { cwd: copy, shell: true, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const { status, stdout, stderr } = spawnSync(command, options);
  if (status !== 0) throw new Error(`$ ${command}\n${stdout}${stderr}`);
  return stdout;
}
