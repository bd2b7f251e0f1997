import { InvalidArgumentError } from 'commander';
import { dayMs } from '../rate-limits/decide.js';

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs };
/** 100 years; a longer duration is probably a typing error. */
const durationMaxMs = 36_525 * dayMs;

const instant = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** Parses a duration like `30m`, `24h` or `7d` into milliseconds. @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const durationMs = findDuration(text);
  if (durationMs === undefined)
    throw new InvalidArgumentError('Use a duration of at most 100 years, like 30m, 24h or 7d.');
  return durationMs;
}

/**
 * Parses an ISO 8601 date or time, or a duration from `now`, into Unix milliseconds. A time without an offset is UTC on
 * every machine; a date is its first instant.
 *
 * @throws InvalidArgumentError
 */
export function parseInstant(text: string, now: number): number {
  const durationMs = findDuration(text);
  if (durationMs !== undefined) return now + durationMs;
  const [, day, time = '00:00', offset = 'Z'] = instant.exec(text) ?? [];
  const value = Date.parse(`${String(day)}T${time}${offset}`);
  if (Number.isNaN(value) || !isDay(String(day))) {
    throw new InvalidArgumentError(
      'Use a date like 2027-01-31, a time like 2027-01-31T18:00:00Z, or a duration from now like 30d.',
    );
  }
  return value;
}

function findDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,12})([smhdw])$/.exec(text) ?? [];
  const durationMs = Number(count) * (unitsMs[unit] ?? NaN);
  return durationMs <= durationMaxMs ? durationMs : undefined;
}

/** Whether the date exists: `Date.parse` converts 31 February to 3 March. */
function isDay(text: string): boolean {
  return new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}
