/** Returns the current time in Unix milliseconds. Passed in, so that tests can control it. */
export type Clock = () => number;

/** Formats Unix milliseconds as in RFC 3339, in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
