#!/usr/bin/env bash
# HAProxy 2.6.12 (Debian) sends no 502 if the backend closes a connection that served another request before: it closes
# the connection of its client without a response, also for a POST. On a new backend connection, the client gets 502.
# Clients that do not repeat a POST see a network error where they expect a status.
# Output seen:
#   backend closes a new connection: 502
#   backend closes a used connection: connection closed without a response
set -euo pipefail
expected=$(sed -n 's/^#   //p' "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
libraries=(liblua5.3-0 libopentracing1 libopentracing-c-wrapper0 libpcre2-8-0 libssl3)
apt-get download haproxy=2.6.12-1+deb12u4 "${libraries[@]}" > /dev/null 2>&1
for package in *.deb; do dpkg -x "$package" .; done
cat > run.mjs << 'END'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
/** Responds to GET, and closes the connection when it receives POST. */
const backend = createServer((socket) =>
  socket.on('error', () => undefined).on('data', (bytes) => {
    if (String(bytes).startsWith('GET')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    else socket.end();
  }),
);
const unused = createServer();
const [node, port] = [await listen(backend), await listen(unused)];
unused.close();
writeFileSync(
  'haproxy.cfg',
  `defaults
  mode http
  timeout client 5s
  timeout connect 1s
  timeout server 5s
frontend clients
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  server node 127.0.0.1:${node}
`,
);
const haproxy = spawn('usr/sbin/haproxy', ['-db', '-f', 'haproxy.cfg'], { stdio: 'ignore' });
await delay(1000);

/** Sends requests one after the other on a connection. Resolves with the result of the last. */
async function resultOf(...methods) {
  const client = connect(port, '127.0.0.1');
  let result;
  for (const method of methods) {
    client.write(`${method} / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`);
    result = await Promise.race([
      once(client, 'data').then(([bytes]) => String(bytes).slice(9, 12)),
      once(client, 'close').then(() => 'connection closed without a response'),
    ]);
  }
  client.destroy();
  return result;
}
console.log(`backend closes a new connection: ${await resultOf('POST')}`);
console.log(`backend closes a used connection: ${await resultOf('GET', 'POST')}`);
haproxy.kill();
backend.close();
END
LD_LIBRARY_PATH=$(echo usr/lib/*-linux-gnu) node run.mjs | tee output
[ "$(cat output)" = "$expected" ]
