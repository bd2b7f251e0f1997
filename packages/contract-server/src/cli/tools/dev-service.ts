import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { packageFolder } from '../../lib/package-folder.js';

const stopWithParent = new URL('dist/cli/tools/stop-with-parent.js', packageFolder).href;

/** The process of a service that `dev` restarts. */
export class DevService {
  private child: ChildProcess | undefined;
  private ended: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(
    private readonly entry: string,
    private readonly args: readonly string[],
    private readonly print: (message: string) => void,
  ) {}

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  async restart(): Promise<void> {
    await this.stop();
    if (this.isClosed) return;
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', '--import', stopWithParent, this.entry, ...this.args],
      {
        env: { ...process.env, VALIDATE_RESPONSES: 'on' },
        // A separate process group, so that Ctrl-C reaches it once: a second signal makes it exit immediately. The
        // channel closes when this process ends.
        detached: true,
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      },
    );
    this.child = child;
    this.ended = once(child, 'exit');
    child.on('exit', (code, signal) => {
      if (this.child === child)
        this.print(`The service exited (${String(code ?? signal)}). It starts again after the next change.`);
    });
  }

  /** Stops the service, so that `restart` does nothing. Resolves when its process has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.stop();
  }

  private async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    child?.kill('SIGTERM');
    await this.ended;
  }
}
