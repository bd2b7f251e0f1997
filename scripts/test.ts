import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const everyTest = 'build/test/**/*.test.js';

/**
 * The command for the arguments of `npm test`. Without arguments it runs the whole suite with coverage, two files at a
 * time. Files and folders of `test/` become their compiled files; other arguments are passed to mocha.
 * @throws if a file or folder does not exist
 */
export function testCommand(args: readonly string[]): [program: string, ...args: string[]] {
  if (args.length === 0) return ['c8', 'mocha', '--config', '.mocharc.suite.json'];
  const specs = args.filter(isTest).map(compiled);
  const options = args.filter((argument) => !isTest(argument));
  return ['mocha', ...options, ...(specs.length > 0 ? specs : [everyTest])];
}

function isTest(argument: string): boolean {
  return /^(\.\/)?test(\/|$)/.test(argument);
}

function compiled(path: string): string {
  const isFolder = statSync(join(root, path)).isDirectory();
  return join('build', isFolder ? `${path}/**/*.test.js` : path.replace(/\.ts$/, '.js'));
}

if (process.argv[1] === import.meta.filename) {
  const [program, ...args] = testCommand(process.argv.slice(2));
  const child = spawn(join(root, 'node_modules/.bin', program), args, { cwd: root, stdio: 'inherit' });
  child.on('exit', (code) => (process.exitCode = code ?? 1));
}
