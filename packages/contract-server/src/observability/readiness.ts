import { withTimeout } from '../lib/timeout.js';

/** Timeout of a read of the stores. */
const timeoutMs = 1000;

/** Whether the service is ready for requests: its stores can be read, and it is not shutting down. */
export class Readiness {
  private isStopping = false;
  private wasReady = true;
  private running: Promise<unknown> | undefined;

  constructor(
    /** Rejects if the stores cannot be read. */
    private readonly read: () => Promise<unknown>,
    /** Receives the error when the stores become unavailable, and `undefined` when they are available again. */
    private readonly onChange: (failure: unknown) => void,
  ) {}

  /** Makes the service not ready permanently. */
  stop(): void {
    this.isStopping = true;
  }

  /** Never rejects, and never takes longer than a second. */
  async check(): Promise<boolean> {
    if (this.isStopping) return false;
    const failure = await this.findFailure();
    const isReady = failure === undefined;
    if (isReady !== this.wasReady) {
      this.wasReady = isReady;
      this.onChange(failure);
    }
    // `stop` may have been called in the meantime.
    return isReady && !this.isStopping;
  }

  /** The error of a read, or of its timeout. Concurrent checks share one read. */
  private findFailure(): Promise<unknown> {
    this.running ??= this.read().finally(() => (this.running = undefined));
    return withTimeout(this.running, timeoutMs).then(
      () => undefined,
      (error: unknown) => error,
    );
  }
}
