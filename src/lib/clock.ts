/** The current time in Unix milliseconds. Passed in wherever time matters, so that a test can move it. */
export type Clock = () => number;

/**
 * A clock that only goes forward, for measuring how old something is. When the given one is set back, nobody knows how
 * much time has passed, and it is taken to be `unknownMs`.
 */
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
