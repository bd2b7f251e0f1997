/** What a service does now and then beside its requests. A chore that fails is reported and tried again the next time. */
export class Chores {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly report: (error: unknown) => void) {}

  every(intervalMs: number, chore: () => unknown): void {
    const run = async () => {
      try {
        await chore();
      } catch (error) {
        this.report(error);
      }
    };
    this.timers.push(setInterval(() => void run(), intervalMs).unref());
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }
}
