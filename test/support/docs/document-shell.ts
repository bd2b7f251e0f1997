import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { closeLater } from '@contract-server/test-support/closing.js';
import { watchChild } from '@contract-server/test-support/servers/child-process.js';
import { settingList } from '../pet-store.js';

/** Variables of npm's scripts direct another npm to this repository, and that of mocha its workers. */
const inherited = Object.entries(process.env).filter(
  ([name]) => !/^npm_(?:package|lifecycle|config_local_prefix)|^MOCHA_/.test(name),
);
const unset = Object.fromEntries(settingList.map(({ name }) => [name, '']));
/** What a server prints when it accepts requests. */
const announcement = /\bat http:\/\/\S+\n/g;
/** Each line must succeed, except that an interrupted one may end with 130. */
const prologue = `set -o pipefail
trap 'code=$?; [ $code = 130 ] || exit $code' ERR
`;

export interface Shell {
  /** The folder for what a document writes to absolute paths, such as `/etc`. */
  readonly home: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Texts of the document, and what stands for them here. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** Writes programs that replace those of the system, by name, into the folder that is first on the path. */
export function writePrograms(home: string, programs: Readonly<Record<string, string>>): void {
  mkdirSync(join(home, 'programs'), { recursive: true });
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(home, 'programs', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** Runs commands as a reader does, and interrupts a server when it accepts requests. @throws if one fails. */
export async function runCommands(commands: string, { home, cwd, env = {}, replaced = {} }: Shell) {
  let text = commands.replace(/(?<=[\s"'=:])\/(?=[a-z])(?!dev\/|usr\/|bin\/)/g, `${home}/`);
  for (const [found, replacement] of Object.entries(replaced)) text = text.replaceAll(found, replacement);
  // Of `one && two`, a shell does not report that the first has failed.
  text = text.replace(/ &&\s+/g, '\n');
  const PATH = [join(home, 'programs'), dirname(process.execPath), process.env['PATH']].join(':');
  const options = { cwd, env: { ...Object.fromEntries(inherited), ...unset, PORT: '0', PATH, ...env }, detached: true };
  const child = spawn('bash', ['-c', `${prologue}${text}`], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = watchChild(child);
  // After a timeout, the programs of the shell still run.
  closeLater(() => child.exitCode ?? killGroup(child.pid ?? NaN));
  const output = { stdout: '', stderr: '' };
  let announced = 0;
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
      const found = [...`${output.stdout}\n${output.stderr}`.matchAll(announcement)].length;
      if (found > announced) interruptGroup(child.pid ?? NaN);
      announced = found;
    });
  const { code } = await ended;
  if (code !== 0 && code !== 130) throw new Error(`Exit code ${String(code)} of\n${text}\n${JSON.stringify(output)}`);
  return output;
}

function killGroup(shellPid: number): void {
  try {
    process.kill(-shellPid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Interrupts the processes of a shell once each. npm would pass the signal on, so that they received it twice. */
function interruptGroup(shellPid: number): void {
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    try {
      const read = (file: string) => readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
      const group = Number(/\) \S \d+ (\d+)/.exec(read('stat'))?.[1]);
      if (group === shellPid && pid !== shellPid && !read('cmdline').startsWith('npm')) process.kill(pid, 'SIGINT');
    } catch {
      // It has ended.
    }
  }
}
