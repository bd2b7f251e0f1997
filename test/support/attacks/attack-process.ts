/**
 * Attacks the target from a separate process until it is killed. Arguments: the name of the attack, and the target as
 * JSON.
 */
import { connect, type Socket } from 'node:net';
import { type Attack, type AttackTarget, attacks } from './attacks.js';

/** How long a connection that was refused or closed without a response waits before it is tried again. */
const refusedPauseMs = 10;

const [name = '', json = ''] = process.argv.slice(2);
const attack = attacks.find((one) => one.name === name);
if (attack === undefined) throw new Error(`There is no attack ${name}.`);
const target = JSON.parse(json) as AttackTarget;
const bytes = Buffer.from(attack.requests(target), 'latin1');
// Connections that are not read do not keep the process running.
setInterval(() => undefined, 1000);
for (let count = 0; count < attack.connections; count += 1) open(attack);

function open(running: Attack): void {
  const socket = connect({ host: target.host, port: target.port, noDelay: true }, () => use(socket, running));
  let hasReceived = false;
  socket.on('error', () => undefined).once('data', () => (hasReceived = true));
  socket.once('close', () => {
    if (hasReceived) setImmediate(open, running);
    else setTimeout(open, refusedPauseMs, running);
  });
}

function use(socket: Socket, { responses, reconnects, isDeaf }: Attack): void {
  let received = 0;
  socket.write(bytes);
  if (isDeaf === true) socket.pause();
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
    if (received < responses) return;
    received = 0;
    if (reconnects === true) socket.destroy();
    else socket.write(bytes);
  });
}
