/** Returns the current time in Unix milliseconds. Passed in, so that tests can control it. */
export type Clock = () => number;

/** A clock that never goes back, to measure ages. When the given clock is set back, it advances by `unknownMs`. */
export function forwardClock(clock: Clock, unknownMs: number): Clock {
  let shown = clock();
  let last = shown;
  return () => {
    const now = clock();
    shown += now < last ? unknownMs : now - last;
    last = now;
    return shown;
  };
}
