/**
 * Runs the HTTP, client and process tests on other versions of Node, all at the same time: `npm run test:node -- 24 26`.
 *
 * Node comes from the npm package `node`, which as a dependency would replace `node` in every script. Each version runs
 * a copy of the project in `build/`, with the version of better-sqlite3 that the image contains: the one of the project
 * has no binaries for these versions of Node.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const notCopied = ['.git', 'build', 'coverage', 'data', 'node_modules'];

const versions = process.argv.slice(2);
if (versions.length === 0) {
  console.error('Name the major versions of Node: npm run test:node -- 24 26');
  process.exit(2);
}
const results = await Promise.all(versions.map(testOn));
for (const { version, output, isPassed } of results)
  console.log(`Node ${version}\n${output}${isPassed ? '' : 'Failed.\n'}`);
process.exitCode = results.every(({ isPassed }) => isPassed) ? 0 : 1;

async function testOn(version: string): Promise<{ version: string; output: string; isPassed: boolean }> {
  const directory = join(root, 'build', `node-${version}`);
  await copyProject(directory);
  const setPath = `export PATH="${join(directory, 'deploy/better-sqlite3/node_modules/node/bin')}:$PATH"`;
  let output = '';
  for (const command of [
    // npm runs on the installed Node, so it warns that better-sqlite3 does not support that.
    `cd deploy/better-sqlite3 && npm ci --no-audit --no-fund --loglevel=error`,
    `cd deploy/better-sqlite3 && npm install --no-save --no-audit --no-fund --loglevel=error node@${version}`,
    // Hard links: with symbolic links, Node would find the packages in the project.
    `cp -al "${root}node_modules" . && rm -r node_modules/better-sqlite3`,
    'mv deploy/better-sqlite3/node_modules/better-sqlite3 node_modules/',
    'node --version && node node_modules/mocha/bin/mocha.js --config .mocharc.node.json',
  ]) {
    const child = spawn(`${setPath} && ${command}`, { cwd: directory, shell: true });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) return { version, output, isPassed: false };
  }
  return { version, output, isPassed: true };
}

async function copyProject(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const compiled = ['src', 'scripts', 'test'].map((name) => join('build', name));
  for (const name of [...(await readdir(root)).filter((each) => !notCopied.includes(each)), ...compiled])
    await cp(join(root, name), join(directory, name), { recursive: true, preserveTimestamps: true });
}
