/** Maximum delay of a timer; longer delays fire immediately. */
export const longestTimerMs = 2 ** 31 - 1;

export interface Time {
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Resolves after `ms`, or when `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemTime: Time = {
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
