import type { Clock } from '../lib/clock.js';
import { OutageEvent } from '../lib/errors.js';

/** How many reasons of one outage are logged: some contain numbers that differ each time. */
const reasonsMax = 10;

interface OutageRecord {
  readonly since: number;
  readonly reasons: Set<string>;
}

/**
 * Tells the operator about spells of trouble: each reason once when it begins and the whole spell once when it is over,
 * however many requests meet it meanwhile.
 */
export class OutageLog {
  private outage: OutageRecord | undefined;
  private hasNewReason = false;

  /** @param name of what is in trouble. @param report is given `OutageEvent`s. */
  constructor(
    private readonly name: string,
    private readonly clock: Clock,
    private readonly report: (notice: OutageEvent) => void,
  ) {}

  get isActive(): boolean {
    return this.outage !== undefined;
  }

  record(reason: string): void {
    this.hasNewReason = true;
    this.outage ??= { since: this.clock(), reasons: new Set() };
    if (this.outage.reasons.has(reason) || this.outage.reasons.size >= reasonsMax) return;
    this.outage.reasons.add(reason);
    this.report(new OutageEvent(`${this.name} is in trouble since ${isoTime(this.outage.since)}: ${reason}.`, false));
  }

  /**
   * Ends the spell if nothing was noted since the call before and `isWell`. To be called every second or so: what works
   * at one moment and fails at the next is one spell.
   */
  endIf(isWell: () => boolean): void {
    const isQuiet = !this.hasNewReason;
    this.hasNewReason = false;
    if (this.outage === undefined || !isQuiet || !isWell()) return;
    const { since, reasons } = this.outage;
    this.outage = undefined;
    const seconds = Math.round((this.clock() - since) / 1000);
    const told = `It was in trouble since ${isoTime(since)}, for ${String(seconds)} s: ${[...reasons].join('; ')}.`;
    this.report(new OutageEvent(`${this.name} works again. ${told}`, true));
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
