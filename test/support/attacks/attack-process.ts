/**
 * Attacks the target from a separate process until it receives a message, and reports how many responses
 * it received, by status.
 * Arguments: the name of the attack, and the target as JSON.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attack, type AttackTarget, attacks } from './attacks.js';
import { ResponseCounter } from './response-counter.js';

/** How long a connection that was refused waits before it is tried again, in milliseconds. */
const refusedPauseMs = 10;

/** The results of an attack: the number of responses by status, and of connections. */
export interface AttackReport {
  readonly statuses: Readonly<Record<string, number>>;
  readonly connections: number;
}

const [name = '', target = ''] = process.argv.slice(2);
const attack = attacks.find((one) => one.name === name);
if (attack === undefined) throw new Error(`There is no attack ${name}.`);
const statuses: Record<string, number> = {};
let connections = 0;

run(attack, JSON.parse(target) as AttackTarget);
process.once('message', () => {
  const report: AttackReport = { statuses, connections };
  process.send?.(report, () => process.exit());
});

function run(running: Attack, { host, port, ...rest }: AttackTarget): void {
  const bytes = Buffer.from(running.requests({ host, port, ...rest }), 'latin1');
  const open = () => {
    connections += 1;
    const socket = connect({ host, port, noDelay: true });
    let isConnected = false;
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      isConnected = true;
      use(socket, running, bytes);
    });
    socket.once('close', () => {
      if (isConnected) setImmediate(open);
      else setTimeout(open, refusedPauseMs);
    });
  };
  for (let count = 0; count < running.connections; count += 1) open();
}

function use(
  socket: Socket,
  { responses, repetitions = Infinity, writePauseMs, readPauseMs }: Attack,
  bytes: Buffer,
): void {
  let received = 0;
  let repetition = 0;
  const send = () => {
    repetition += 1;
    if (repetition > repetitions) socket.destroy();
    else if (writePauseMs === undefined) socket.write(bytes);
    else void writeSlowly(socket, bytes, writePauseMs);
  };
  const counter = new ResponseCounter((status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    received += 1;
    if (received % responses === 0) send();
  });
  socket.on('data', (chunk: Buffer) => {
    counter.add(chunk);
    if (readPauseMs === undefined) return;
    socket.pause();
    setTimeout(() => socket.resume(), readPauseMs);
  });
  send();
}

async function writeSlowly(socket: Socket, bytes: Buffer, pauseMs: number): Promise<void> {
  for (let at = 0; at < bytes.length && socket.writable; at += 1) {
    socket.write(bytes.subarray(at, at + 1));
    await (pauseMs === 0 ? new Promise(setImmediate) : delay(pauseMs));
  }
}
