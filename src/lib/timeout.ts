/** A promise did not settle in time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Settles like the promise, or rejects with a `TimeoutError` after a timeout in milliseconds. The timeout is measured
 * in two halves and ends after the poll phase of the event loop: a response that arrived while this process was blocked
 * is read first.
 */
export function withTimeout<T>(
  promise: Promise<T>,
  timeoutMs: number,
  message = `no response within ${String(timeoutMs)} ms`,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const halfMs = timeoutMs / 2;
    const expire = () => reject(new TimeoutError(message));
    let timer = setTimeout(() => (timer = setTimeout(() => setImmediate(expire), halfMs)), halfMs);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the error is passed on unchanged.
        reject(error);
      },
    );
  });
}
