/**
 * Generates the pictures of the README, `docs/first-five-minutes.svg`, `docs/docs-page.png` and
 * `docs/docs-page-request.png`, from a running service.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { rootPath } from '../bench/root-path.js';
import { startProcess } from '../bench/start-process.js';
import { temporaryDirectory } from '../bench/temporary-directory.js';
import { pictureDocsPage } from './docs-page-picture.js';
import { renderTerminal, type TerminalCommand } from './terminal-picture.js';

const run = promisify(execFile);
const startOutput = await startService(rootPath('dist/server/main.js'));
const baseUrl = / is at (\S+)/.exec(startOutput)?.[1] ?? '';
const token = /^ {2}(pets_\S+)$/m.exec(startOutput)?.[1] ?? '';
const commands = await runReadmeCommands();
await writeFile(rootPath('docs/first-five-minutes.svg'), renderTerminal('The first five minutes', commands));
const { operation, tryOut } = await pictureDocsPage(baseUrl, token);
await writeFile(rootPath('docs/docs-page.png'), operation);
await writeFile(rootPath('docs/docs-page-request.png'), tryOut);
// The service exits with this process.
process.exit();

/** Starts the service without data on its default port, which must be free. Returns what it prints. */
async function startService(main: string): Promise<string> {
  const child = startProcess(process.execPath, [main], {
    cwd: temporaryDirectory(),
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(`The service does not start.\n${output}`)));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text));
  while (!/^ {2}curl .+\n/m.test(output)) await Promise.race([once(child.stderr ?? child, 'data'), exited]);
  exited.catch(() => undefined);
  return output;
}

/** Runs the commands of the README. The output contains only the prefix of the API key. */
async function runReadmeCommands(): Promise<TerminalCommand[]> {
  const shownKey = `${token.slice(0, token.lastIndexOf('_') + 1)}…`;
  const start = startOutput.replaceAll(token, shownKey).trimEnd().split('\n');
  const executed: TerminalCommand[] = [
    { command: 'npm ci && npm start', output: start },
    { command: `export API_KEY=${shownKey}`, output: [] },
  ];
  const readme = await readFile(rootPath('README.md'), 'utf8');
  const transcript = /^```console\n(.*?)^```$/ms.exec(readme)?.[1] ?? '';
  for (const [, command = ''] of transcript.matchAll(/^\$ (.+)$/gm)) {
    const { stdout } = await run('bash', ['-c', command], { env: { API_KEY: token } });
    executed.push({ command, output: stdout.replaceAll('\r', '').trimEnd().split('\n') });
  }
  return executed;
}
