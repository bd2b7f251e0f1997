import type { ChildProcess } from 'node:child_process';

/** The exit of a process. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const running = new Set<ChildProcess>();

/** Resolves when a process has ended and closed its output. It is killed when this process ends. */
export function watchChild(child: ChildProcess): Promise<Ending> {
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
