import type { Duplex } from 'node:stream';

/** How long, and how many bytes, are still read from a connection after its end was sent. */
const lingerMs = 1000;
const lingerBytesMax = 1024 * 1024;

/**
 * Closes a connection after what was written to it, and discards what the client still sends. Closing a connection with
 * unread bytes resets it, and the client would lose the response (RFC 9112, section 9.6).
 *
 * Undocumented in Node: its HTTP parser is one of the `data` listeners of the socket, so that without them nothing more
 * is parsed as a request. There is no public API to detach the parser. Test: client-errors.test.ts ("a client that
 * keeps sending").
 */
export function lingeringClose(socket: Duplex): void {
  let bytes = 0;
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytesMax) socket.destroy();
  });
  socket.resume();
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  });
}
