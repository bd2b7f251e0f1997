import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { closeLater } from '../closing.js';
import { freePort } from '../machine/free-port.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { watchChild } from './child-process.js';
import { isListening } from './is-listening.js';

/**
 * Starts nginx with its default settings. It is stopped after the test or suite. Returns its address.
 *
 * @param directives of its only location, such as `proxy_pass http://127.0.0.1:8080;`.
 */
export async function startNginx(directives: string): Promise<string> {
  const [port, directory] = [await freePort(), temporaryDirectory()];
  const file = join(directory, 'nginx.conf');
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const http = [
    'access_log off;',
    ...folders.map((name) => `${name}_temp_path ${name};`),
    `server { listen 127.0.0.1:${String(port)}; location / { ${directives} } }`,
  ];
  const lines = ['daemon off;', 'pid nginx.pid;', 'events {}', `http { ${http.join(' ')} }`];
  await writeFile(file, lines.join('\n'));
  const args = ['-p', directory, '-c', file, '-e', 'stderr'];
  const child = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = watchChild(child);
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  closeLater(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${output}`);
    await delay(10);
  }
  return `http://127.0.0.1:${String(port)}`;
}
