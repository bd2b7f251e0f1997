import { type Clock, isoTime } from '../lib/clock.js';
import { StoreEvent } from '../lib/errors.js';

/** Maximum number of reasons that are logged per outage: some contain numbers that differ each time. */
const reasonsMax = 10;

/** Reports outages: each reason once when it first occurs, and the end once, however many requests fail meanwhile. */
export class OutageLog {
  private outage: { readonly since: number; readonly reasons: Set<string> } | undefined;
  private hasFailed = false;

  /** @param name of the database or server. */
  constructor(
    private readonly name: string,
    private readonly clock: Clock,
    private readonly report: (event: StoreEvent) => void,
  ) {}

  get isActive(): boolean {
    return this.outage !== undefined;
  }

  /** Records a failure, which begins an outage if there is none. */
  record(reason: string): void {
    this.hasFailed = true;
    this.outage ??= { since: this.clock(), reasons: new Set() };
    if (this.outage.reasons.has(reason) || this.outage.reasons.size >= reasonsMax) return;
    this.outage.reasons.add(reason);
    const since = isoTime(this.outage.since);
    this.report(new StoreEvent('storage outage', `${this.name} has been unavailable since ${since}: ${reason}.`));
  }

  /**
   * Ends the outage if no failure was recorded since the last call and `isAvailable` returns true. To be called every
   * second, so that intermittent failures are one outage.
   */
  endIf(isAvailable: () => boolean): void {
    const { hasFailed, outage } = this;
    this.hasFailed = false;
    if (outage === undefined || hasFailed || !isAvailable()) return;
    this.outage = undefined;
    const seconds = Math.round((this.clock() - outage.since) / 1000);
    const history = `It had been unavailable since ${isoTime(outage.since)}, for ${String(seconds)} s`;
    const reasons = [...outage.reasons].join('; ');
    this.report(new StoreEvent('storage recovered', `${this.name} is available again. ${history}: ${reasons}.`));
  }
}
