/**
 * Settles like the promise, or rejects with a `TimeoutError` after a timeout in milliseconds. A process that was
 * blocked runs an overdue timer before it reads its sockets: the second timer and `setImmediate` let it first read a
 * response that arrived meanwhile.
 */
export function withTimeout<T>(promise: Promise<T>, ms: number, message = `no response within ${String(ms)} ms`) {
  return new Promise<T>((resolve, reject) => {
    const halfMs = ms / 2;
    const expire = () => reject(new DOMException(message, 'TimeoutError'));
    let timer = setTimeout(() => (timer = setTimeout(() => setImmediate(expire), halfMs)), halfMs);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
