import type { Clock } from '@contract-server/core/lib/clock.js';
import { type ApiError, StoreEvent, storeUnavailable } from '@contract-server/core/lib/errors.js';

/** Maximum number of reasons that are logged per outage: some contain numbers that differ each time. */
const reasonsMax = 10;

/** Reports outages: each reason once when it first occurs, and the end once, however many requests fail meanwhile. */
export class OutageLog {
  private outage: { readonly since: number; readonly reasons: Set<string> } | undefined;
  /** Whether a call has failed since the last check, and whether one has succeeded since. */
  private hasFailed = false;
  private hasSucceeded = false;

  /** @param name of the database or server. */
  constructor(
    private readonly name: string,
    private readonly clock: Clock,
    private readonly report: (event: StoreEvent) => void,
  ) {}

  get isActive(): boolean {
    return this.outage !== undefined;
  }

  recordSuccess(): void {
    this.hasSucceeded = true;
  }

  /** Records a failure, which begins an outage if there is none. Returns the error for the client. */
  recordFailure(reason: string, cause: unknown): ApiError {
    this.hasFailed = true;
    this.hasSucceeded = false;
    this.outage ??= { since: this.clock(), reasons: new Set() };
    const { since, reasons } = this.outage;
    if (!reasons.has(reason) && reasons.size < reasonsMax) {
      reasons.add(reason);
      const message = `${this.name} has been unavailable since ${new Date(since).toISOString()}: ${reason}.`;
      this.report(new StoreEvent('storage outage', message));
    }
    return storeUnavailable(cause);
  }

  /** Ends the outage if calls succeed. To be called every second, so that intermittent failures are one outage. */
  check(): void {
    const { hasFailed, outage } = this;
    this.hasFailed = false;
    if (outage === undefined || hasFailed || !this.hasSucceeded) return;
    this.outage = undefined;
    const seconds = Math.round((this.clock() - outage.since) / 1000);
    const history = `It had been unavailable since ${new Date(outage.since).toISOString()}, for ${String(seconds)} s`;
    const reasons = [...outage.reasons].join('; ');
    this.report(new StoreEvent('storage recovered', `${this.name} is available again. ${history}: ${reasons}.`));
  }
}
