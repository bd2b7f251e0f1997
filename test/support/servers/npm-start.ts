import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeLater } from '#contract-server-test/support/closing.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';

/**
 * Runs `npm start` in a directory, with a free port and an empty database, until the end of the test. Returns what it
 * prints, up to the `curl` command.
 */
export async function npmStart(cwd: string): Promise<string> {
  const env = { ...process.env, PORT: '0', DATA_DIR: temporaryDirectory() };
  // A separate process group: npm does not pass signals on to the processes of its script.
  const npm = spawn('npm', ['start'], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const ended = once(npm, 'close');
  let printed = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  closeLater(async () => {
    if (npm.exitCode === null) process.kill(-(npm.pid ?? NaN), 'SIGTERM');
    await ended;
  });
  while (!/curl .+\n/.test(printed)) {
    await Promise.race([once(npm.stderr, 'data'), ended]);
    if (npm.exitCode !== null) throw new Error(`npm start ended: ${printed}`);
  }
  return printed;
}
