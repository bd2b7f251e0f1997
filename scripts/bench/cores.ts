import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The separate cores of servers and load generators. */
export interface Cores {
  readonly server: number | undefined;
  readonly load: number | undefined;
}

/** Two of the cores that this process may use; `undefined` if there is only one, or no `taskset`. */
export function chooseCores(): Cores {
  const [server, load] = allowedCores();
  if (load === undefined || spawnSync('taskset', ['--version']).status !== 0)
    return { server: undefined, load: undefined };
  return { server, load };
}

/** A command that runs on one core. */
export function pinned(
  core: number | undefined,
  command: string,
  args: readonly string[],
): [command: string, args: string[]] {
  return core === undefined ? [command, [...args]] : ['taskset', ['--cpu-list', String(core), command, ...args]];
}

/** Linux lists them as `0-3,8`. */
function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
