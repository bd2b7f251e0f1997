/** A promise did not settle in time. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Settles like the promise, or rejects with a `TimeoutError` after a timeout in milliseconds. A process that was
 * blocked runs an overdue timer before it reads its sockets: the second timer and `setImmediate` let it first read a
 * response that arrived meanwhile.
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
