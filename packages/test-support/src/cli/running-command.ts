import { EventEmitter } from 'node:events';
import { closeLater } from '../closing.js';
import { type Run, type RunCommandLine, type RunOptions, TextOutput } from './command-line.js';

export interface RunningCommand {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Stops it with SIGTERM. Resolves when it has ended. */
  readonly stop: () => Promise<Run>;
}

/**
 * Returns a function that starts a command of a service in this process on a free port, and waits until a command that
 * serves requests has printed where. Without a log, because it is written to the stdout of the process. It is stopped
 * after the test.
 */
export function starterOf(run: RunCommandLine) {
  return async (args: readonly string[], options: RunOptions = {}): Promise<RunningCommand> => {
    const { stdout = new TextOutput(), stderr = new TextOutput() } = options;
    const signals = Object.assign(new EventEmitter(), { exit: () => undefined });
    const env = { PORT: '0', LOG_LEVEL: 'silent', ...options.env };
    const ended = run(args, { clock: Date.now, ...options, env, stdout, stderr, signals });
    let stopped: Promise<Run> | undefined;
    const stop = () => {
      if (stopped === undefined) signals.emit('SIGTERM');
      // As a process does.
      return (stopped ??= ended.finally(() => signals.emit('exit')));
    };
    closeLater(stop);
    await Promise.race([stderr.until(/ is at http\S+\n/), stdout.until(/^\{"baseUrl":.+\n/), ended]);
    return { stdout, stderr, stop };
  };
}

/** The URL that a server has printed, up to and including the path prefix. */
export function baseUrlOf({ stderr }: RunningCommand): string {
  return / is at (http\S+)$/m.exec(stderr.text)?.[1] ?? '';
}
