/** Returns the current time in Unix milliseconds. Passed in, so that tests can control it. */
export type Clock = () => number;

/** A clock that never goes back, to measure ages. When the given clock is set back, it advances by `unknownMs`. */
export function forwardClock(clock: Clock, unknownMs: number): Clock {
  let elapsed = clock();
  let last = elapsed;
  return () => {
    const now = clock();
    elapsed += now < last ? unknownMs : now - last;
    last = now;
    return elapsed;
  };
}

/** Formats Unix milliseconds as in RFC 3339, in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
