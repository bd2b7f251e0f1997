import { fork } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { closeLater } from '@contract-server/test-support/closing.js';
import { watchChild } from '@contract-server/test-support/servers/child-process.js';

/** The behaviour of every connection of an attack. */
interface Attack {
  readonly title: string;
  readonly connections: number;
  /** What a connection sends at once; `<key>` is replaced by an API key with practically no limits. */
  readonly requests: string;
  /** How many responses it waits for before it sends the same again, on a new connection if it reconnects. */
  readonly responses: number;
  readonly reconnects?: boolean;
  /** Whether it never reads responses. */
  readonly isDeaf?: boolean;
}

/** How long a connection that was refused or closed without a response waits before it is tried again. */
const refusedPauseMs = 10;
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: petstore\r\n${headers}\r\n`;
const [list, viewer] = [get('/v1/pets'), get('/docs/viewer.js')];
const expensive = get('/v1/pets?limit=100', 'Authorization: Bearer <key>\r\n');

/** The attacks that one client address can make. */
export const attacks: readonly Attack[] = [
  { title: '2,500 keep-alive connections without a key', connections: 2500, requests: list, responses: 1 },
  { title: '400 connections, 50 pipelined requests each', connections: 400, requests: list.repeat(50), responses: 50 },
  {
    ...{ title: '400 connections that never read a large document', connections: 400, isDeaf: true },
    ...{ requests: viewer.repeat(20), responses: 20 },
  },
  {
    ...{ title: '200 connections, each for one request', connections: 200, reconnects: true },
    ...{ requests: list, responses: 1 },
  },
  {
    ...{ title: '200 connections with a valid key and the longest lists', connections: 200 },
    ...{ requests: expensive, responses: 1 },
  },
];

/** Attacks a server from a separate process until the end of the test. */
export function startAttack(title: string, port: number, token: string): void {
  const child = fork(fileURLToPath(import.meta.url), [title, String(port), token]);
  const ended = watchChild(child);
  closeLater(() => {
    child.kill('SIGKILL');
    return ended;
  });
}

function open(attack: Attack, port: number, bytes: string): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => use(socket, attack, bytes));
  let hasReceived = false;
  socket.on('error', () => undefined).once('data', () => (hasReceived = true));
  socket.once('close', () => setTimeout(open, hasReceived ? 0 : refusedPauseMs, attack, port, bytes));
}

function use(socket: Socket, { responses, reconnects = false, isDeaf = false }: Attack, bytes: string): void {
  let received = 0;
  socket.write(bytes);
  if (isDeaf) socket.pause();
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
    if (received < responses) return;
    received = 0;
    if (reconnects) socket.destroy();
    else socket.write(bytes);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [title, port, token = ''] = process.argv.slice(2);
  const attack = attacks.find((one) => one.title === title);
  if (attack === undefined) throw new Error(`There is no attack ${String(title)}.`);
  // Connections that are not read do not keep the process running.
  setInterval(() => undefined, 1000);
  const bytes = attack.requests.replace('<key>', token);
  for (let count = 0; count < attack.connections; count += 1) open(attack, Number(port), bytes);
}
