import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { closeLater } from '../closing.js';

/** A server, an API key for it, and a path that supports GET and POST. */
interface Target {
  readonly baseUrl: string;
  readonly token: string;
  readonly path: string;
}

/** The behaviour of a slow client: it sends a byte now and then or nothing, or does not read responses. */
export type Slowness = 'headers' | 'body' | 'stopped' | 'silent' | 'deaf' | 'deaf to short responses';

/** The end of a slow connection. */
interface Ending {
  readonly afterMs: number;
  /** The status of its response, if there was one. */
  readonly status: number | undefined;
}

/** Interval between two bytes, in milliseconds. */
const tickMs = 100;

/** Opens `count` connections, and resolves with the end of each when the server has closed them all. */
export function attackSlowly(target: Target, count: number, slowness: Slowness): Promise<readonly Ending[]> {
  return Promise.all(Array.from({ length: count }, () => open(target, slowness)));
}

async function open(target: Target, slowness: Slowness): Promise<Ending> {
  const { hostname: host, port } = new URL(target.baseUrl);
  // The server may reset the connection.
  const socket = connect({ host, port: Number(port) }).on('error', () => undefined);
  closeLater(() => socket.destroy());
  await once(socket, 'connect');
  const startedAt = performance.now();
  let received = '';
  if (slowness.startsWith('deaf')) socket.pause();
  else socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  const ticking = misbehave(socket, target, slowness);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(ticking);
  const status = /^HTTP\/1\.1 ([0-9]{3})/.exec(received)?.[1];
  return { afterMs: performance.now() - startedAt, status: status === undefined ? undefined : Number(status) };
}

function misbehave(socket: Socket, { token, path }: Target, slowness: Slowness): NodeJS.Timeout | undefined {
  const authorization = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
  const upload = `POST ${path} HTTP/1.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{`;
  // More responses than the buffers of both sides can contain. One short response fills no buffer of Node.
  const list = (limit: number) => `GET ${path}?limit=${String(limit)} HTTP/1.1\r\n${authorization}\r\n`.repeat(50);
  const behaviours: Readonly<Record<Slowness, readonly [first: string, repeated: string]>> = {
    silent: ['', ''],
    headers: [`GET ${path} HTTP/1.1\r\n${authorization}X-Slow: `, 'x'],
    stopped: [upload, ''],
    body: [upload, ' '],
    deaf: ['', list(100)],
    'deaf to short responses': ['', list(40)],
  };
  const [first, repeated] = behaviours[slowness];
  socket.write(first);
  return repeated === '' ? undefined : setInterval(() => socket.write(repeated), tickMs);
}
