/** How long the storage may take to answer, in milliseconds. */
const deadlineMs = 1000;

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

  /** Questions that come while one is being answered share its answer. */
  private async failure(): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise((resolve) => {
      timer = setTimeout(() => resolve(new Error(`No answer within ${String(deadlineMs)} ms.`)), deadlineMs);
    });
    this.running ??= this.readOnce().finally(() => (this.running = undefined));
    const failure = await Promise.race([this.running, deadline]);
    clearTimeout(timer);
    return failure;
  }

  private async readOnce(): Promise<unknown> {
    try {
      await this.read();
      return undefined;
    } catch (error) {
      return error;
    }
  }
}
