import type { Duplex } from 'node:stream';

/** How long and how much is still read from a connection that was ended, in milliseconds and bytes. */
const lingerMs = 1000;
const lingerBytesMax = 1024 * 1024;

/**
 * Ends a connection from this side after what was written, and throws away what the client still sends until it ends
 * its own side or has had enough time: closing on bytes that were not read resets the connection, and the client would
 * lose the answer (RFC 9112, section 9.6). Nothing that still comes is taken for a request.
 */
export function lingeringClose(socket: Duplex): void {
  let bytes = 0;
  // Node's parser is one of the listeners.
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
