/**
 * Runs the HTTP, client and process tests on other versions of Node, all at the same time: `npm run test:node -- 24
 * 26`.
 *
 * It prints each stage and each suite as it starts, and the whole output of a version that fails.
 *
 * Node comes from the npm package `node`, which as a dependency would replace `node` in every script. Each version runs
 * a copy of the project in `build/`, with the version of better-sqlite3 that the image contains: the one of the project
 * has no binaries for these versions of Node.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { copyProject } from './copy-project.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const compiled = ['dist', 'build/src', 'build/scripts', 'build/test'];

const versions = process.argv.slice(2);
if (versions.length === 0) {
  console.error('Name the major versions of Node: npm run test:node -- 24 26');
  process.exit(2);
}
const results = await Promise.all(versions.map(testOn));
process.exitCode = results.every((isPassed) => isPassed) ? 0 : 1;

/** @returns whether the tests have passed. */
async function testOn(version: string): Promise<boolean> {
  const directory = join(root, 'build', `node-${version}`);
  rmSync(directory, { recursive: true, force: true });
  copyProject(root, directory, compiled);
  const setPath = `export PATH="${join(directory, 'deploy/better-sqlite3/node_modules/node/bin')}:$PATH"`;
  const print = (text: string) => console.log(`Node ${version}: ${text}`);
  for (const command of [
    // npm runs on the installed Node, so it warns that better-sqlite3 does not support that.
    `cd deploy/better-sqlite3 && npm ci --no-audit --no-fund --loglevel=error`,
    `cd deploy/better-sqlite3 && npm install --no-save --no-audit --no-fund --loglevel=error node@${version}`,
    // Hard links: with symbolic links, Node would find the packages in the project.
    `cp -al "${root}node_modules" . && rm -r node_modules/better-sqlite3`,
    'mv deploy/better-sqlite3/node_modules/better-sqlite3 node_modules/',
    'node --version && node node_modules/mocha/bin/mocha.js --config .mocharc.node.json',
  ]) {
    print(`$ ${command}`);
    const child = spawn(`${setPath} && ${command}`, { cwd: directory, shell: true });
    const output: string[] = [];
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        output.push(line);
        // The version of Node, the titles of suites, and the counts.
        if (/^v\d|^ {2}\S/.test(line)) print(line.trim());
      });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code === 0) continue;
    print(`failed.\n${output.join('\n')}`);
    return false;
  }
  return true;
}
