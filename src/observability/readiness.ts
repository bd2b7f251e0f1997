import { withTimeout } from '../lib/timeout.js';

/** Timeout of a read of the stores. */
const timeoutMs = 1000;

/** Whether the service takes requests: its storage answers, and it is not stopping. */
export class Readiness {
  private isStopping = false;
  private wasReady = true;
  private running: Promise<unknown> | undefined;

  constructor(
    /** Reads what requests need. Rejects if it cannot. */
    private readonly read: () => Promise<unknown>,
    /** Told when the storage stops answering, with the reason, and when it answers again, with `undefined`. */
    private readonly onChange: (failure: unknown) => void,
  ) {}

  /** From here on the service is not ready. */
  stop(): void {
    this.isStopping = true;
  }

  /** Never rejects, and never takes longer than a second. */
  async check(): Promise<boolean> {
    if (this.isStopping) return false;
    const failure = await this.failure();
    const isReady = failure === undefined;
    if (isReady !== this.wasReady) {
      this.wasReady = isReady;
      this.onChange(failure);
    }
    // It may have been told to stop meanwhile.
    return isReady && !this.isStopping;
  }

  /** The error of a read, or of its timeout. Concurrent checks share one read. */
  private failure(): Promise<unknown> {
    this.running ??= this.read().finally(() => (this.running = undefined));
    return withTimeout(this.running, timeoutMs).then(
      () => undefined,
      (error: unknown) => error,
    );
  }
}
