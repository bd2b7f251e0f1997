import type { Clock } from '../lib/clock.js';
import { OutageNotice } from '../lib/storage-notice.js';

/** How many reasons of one outage are logged: some contain numbers that differ each time. */
const reasonsMax = 10;

interface Spell {
  readonly since: number;
  readonly reasons: Set<string>;
}

/**
 * Tells the operator about spells of trouble: each reason once when it begins and the whole spell once when it is over,
 * however many requests meet it meanwhile.
 */
export class OutageLog {
  private spell: Spell | undefined;
  private wasNoted = false;

  /** @param name of what is in trouble. @param report is given `OutageNotice`s. */
  constructor(
    private readonly name: string,
    private readonly clock: Clock,
    private readonly report: (notice: OutageNotice) => void,
  ) {}

  get isOn(): boolean {
    return this.spell !== undefined;
  }

  note(reason: string): void {
    this.wasNoted = true;
    this.spell ??= { since: this.clock(), reasons: new Set() };
    if (this.spell.reasons.has(reason) || this.spell.reasons.size >= reasonsMax) return;
    this.spell.reasons.add(reason);
    this.report(new OutageNotice(`${this.name} is in trouble since ${isoTime(this.spell.since)}: ${reason}.`, false));
  }

  /**
   * Ends the spell if nothing was noted since the call before and `isWell`. To be called every second or so: what works
   * at one moment and fails at the next is one spell.
   */
  endIf(isWell: () => boolean): void {
    const isQuiet = !this.wasNoted;
    this.wasNoted = false;
    if (this.spell === undefined || !isQuiet || !isWell()) return;
    const { since, reasons } = this.spell;
    this.spell = undefined;
    const seconds = Math.round((this.clock() - since) / 1000);
    const told = `It was in trouble since ${isoTime(since)}, for ${String(seconds)} s: ${[...reasons].join('; ')}.`;
    this.report(new OutageNotice(`${this.name} works again. ${told}`, true));
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
