import { InvalidArgumentError } from 'commander';

const secondMs = 1000;
const unitsMs: Readonly<Record<string, number>> = {
  s: secondMs,
  m: 60 * secondMs,
  h: 3600 * secondMs,
  d: 86_400 * secondMs,
  w: 7 * 86_400 * secondMs,
};
/** 100 years: beyond it a duration is a slip of the keyboard. */
const durationMaxMs = 36_525 * 86_400 * secondMs;

const instant = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** Milliseconds from text like `30m`, `24h` or `7d`. @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const durationMs = durationOf(text);
  if (durationMs === undefined)
    throw new InvalidArgumentError('Give a duration of at most 100 years, like 30m, 24h or 7d.');
  return durationMs;
}

/**
 * An instant in Unix milliseconds from an ISO 8601 date or time, or from a duration that counts from `now`. Without an
 * offset it is UTC, so that a command means the same on every machine; a day is its first instant. @throws
 * InvalidArgumentError
 */
export function parseInstant(text: string, now: number): number {
  const durationMs = durationOf(text);
  if (durationMs !== undefined) return now + durationMs;
  const [, day, time = '00:00', offset = 'Z'] = instant.exec(text) ?? [];
  const value = Date.parse(`${String(day)}T${time}${offset}`);
  if (Number.isNaN(value) || !isDay(String(day))) {
    throw new InvalidArgumentError(
      'Give a date like 2027-01-31, a time like 2027-01-31T18:00:00Z, or a duration from now like 30d.',
    );
  }
  return value;
}

function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,12})([smhdw])$/.exec(text) ?? [];
  const durationMs = Number(count) * (unitsMs[unit] ?? NaN);
  return durationMs <= durationMaxMs ? durationMs : undefined;
}

/** `Date.parse` takes the 31st of February for the 3rd of March. */
function isDay(text: string): boolean {
  return new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}
