/** How the client meets time and chance; a test hands in its own. */
export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 up to, and never, 1. */
  random(): number;
  /** Resolves after so many milliseconds, or as soon as `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What timers can count to; beyond that they fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

export const systemTime: Time = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(ms, longestTimerMs));
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    }),
};
