import { once } from 'node:events';
import { startProcess } from '../bench/start-process.js';
import { temporaryDirectory } from '../bench/temporary-directory.js';

/** A service as it is after the very first start. */
export interface FirstService {
  readonly baseUrl: string;
  readonly token: string;
  /** What it said to people, line by line. */
  readonly words: readonly string[];
}

/** Starts the service on its default port, which has to be free, with no data; it ends with this process. */
export async function startFirstService(main: string): Promise<FirstService> {
  const child = startProcess(process.execPath, [main], {
    cwd: temporaryDirectory(),
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`The service does not start.\n${said}`)));
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  while (!/^ {2}curl .+\n/m.test(said)) await Promise.race([once(child.stderr ?? child, 'data'), ended]);
  ended.catch(() => undefined);
  const baseUrl = / is at (\S+)/.exec(said)?.[1] ?? '';
  const token = /^ {2}(pets_\S+)$/m.exec(said)?.[1] ?? '';
  return { baseUrl, token, words: said.trimEnd().split('\n') };
}
