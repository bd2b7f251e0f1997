/**
 * The promise, or a rejection if it does not settle in time. The time is measured in two halves and then to the end of
 * a turn of the event loop, so that an answer that has arrived is read first: that this process itself was held up is
 * not the other's fault.
 */
export function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const halfMs = timeoutMs / 2;
    const late = () => reject(new Error(`no answer within ${String(timeoutMs)} ms`));
    let timer = setTimeout(() => (timer = setTimeout(() => setImmediate(late), halfMs)), halfMs);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it is passed on as it came.
        reject(error);
      },
    );
  });
}
