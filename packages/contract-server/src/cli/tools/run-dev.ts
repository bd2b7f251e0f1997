import { dirname, resolve } from 'node:path';
import { printable } from '@contract-server/core/lib/printable.js';
import { type FSWatcher, watch } from 'chokidar';
import { type CommandContext, stopSignals } from '../context.js';
import { type BuildOptions, BuildSteps } from './build-steps.js';
import { DevService } from './dev-service.js';

/** What `dev` runs. Paths are relative to the working directory. */
export interface DevOptions extends BuildOptions {
  readonly entry: string;
  /** The folders with sources. */
  readonly watch: readonly string[];
}

/** Editors write a file in several steps, and a checkout writes many files. */
const debounceMs = 100;

/**
 * Runs a service until a signal stops it. Each change of a source builds and restarts it; a change of the contract also
 * generates its types. If a step fails, the running service stays as it is.
 */
export async function runDev(options: DevOptions, args: readonly string[], context: CommandContext): Promise<void> {
  const dev = new Dev(options, args, context);
  const stopped = new Promise<void>((resolve) => {
    for (const signal of stopSignals) context.signals.once(signal, () => resolve());
  });
  await Promise.race([dev.start(), stopped]);
  await stopped;
  await dev.stop();
  context.signals.exit(0);
}

class Dev {
  private readonly service: DevService;
  private readonly steps: BuildSteps;
  private readonly sources: FSWatcher;
  /** Watches the folders of the contract's files, because editors replace files. */
  private readonly contract: FSWatcher;
  /** The number of changes, including the start, and how many of them have been built. */
  private changes = 1;
  private built = 0;
  private isUpdating = false;
  private isStopped = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: DevOptions,
    args: readonly string[],
    private readonly context: CommandContext,
  ) {
    this.service = new DevService(options.entry, args, (message) => this.print(message));
    this.steps = new BuildSteps(options, (message) => this.print(message));
    this.sources = watch([...options.watch], { ignoreInitial: true });
    this.contract = watch(
      this.steps.files.map((file) => dirname(file)),
      { ignoreInitial: true, depth: 0 },
    );
  }

  async start(): Promise<void> {
    const { contract, watch } = this.options;
    this.print(`Watching ${[contract, ...watch].join(', ')}.`);
    // The output of `generate` may be in a folder of sources.
    this.sources.on('all', (_event, path) => resolve(path) !== resolve(this.options.output) && this.onChange());
    this.contract.on('all', (_event, path) => this.steps.isContractFile(path) && this.onChange(true));
    await this.update();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await Promise.all([this.sources.close(), this.contract.close(), this.steps.stop(), this.service.close()]);
  }

  private onChange(isContract = false): void {
    this.steps.isContractChanged ||= isContract;
    this.changes += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.update(), debounceMs);
  }

  /** Builds until nothing has changed in the meantime, then restarts the service. */
  private async update(): Promise<void> {
    if (this.isUpdating) return;
    this.isUpdating = true;
    while (this.built !== this.changes) {
      this.built = this.changes;
      this.print('Building…');
      const error = await this.steps.run();
      if (this.isStopped) return;
      this.contract.add(this.steps.files.map((file) => dirname(file)));
      if (this.built !== this.changes) continue;
      if (error === undefined) await this.service.restart();
      else this.print(`${error}${this.service.isRunning ? '\ndev: The service keeps running unchanged.' : ''}`);
    }
    this.isUpdating = false;
  }

  private print(message: string): void {
    this.context.stderr.write(printable(`dev: ${message}\n`, '\n'));
  }
}
