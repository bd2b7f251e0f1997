#!/usr/bin/env bash
# HAProxy 2.6.12 (Debian) sends its own HTML to a client that is late with its headers, whatever `http-error status 408`
# or `errorfile 408` configure: its HTTP/1 layer sends a built-in text. The same directive works for 503.
# Output seen:
#   http-error 503: application/json
#   http-error 408: text/html
#   errorfile 408: text/html
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
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
const unused = [createServer(), createServer()];
const [first, second] = await Promise.all(unused.map(listen));
for (const server of unused) server.close();
const type = 'content-type application/json string';
const head = 'HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\nContent-Length: 2';
writeFileSync('408.http', `${head}\r\n\r\n{}`);
writeFileSync(
  'haproxy.cfg',
  `defaults
  mode http
  timeout http-request 1s
  timeout client 5s
  timeout connect 1s
  timeout server 5s
frontend first
  bind 127.0.0.1:${first}
  http-error status 408 ${type} '{}'
  http-error status 503 ${type} '{}'
frontend second
  bind 127.0.0.1:${second}
  errorfile 408 ${process.cwd()}/408.http
`,
);
const haproxy = spawn('usr/sbin/haproxy', ['-db', '-f', 'haproxy.cfg'], { stdio: 'ignore' });
await delay(1000);

const typeOf = (port, bytes) =>
  new Promise((done, fail) => {
    const client = connect(port, '127.0.0.1', () => client.write(bytes));
    client.on('error', fail).once('data', (chunk) => {
      client.destroy();
      done(/content-type: (\S+)/i.exec(String(chunk))?.[1]);
    });
  });
const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
console.log(`http-error 503: ${await typeOf(first, request)}`);
console.log(`http-error 408: ${await typeOf(first, request.slice(0, -2))}`);
console.log(`errorfile 408: ${await typeOf(second, request.slice(0, -2))}`);
haproxy.kill();
END
LD_LIBRARY_PATH=$(echo usr/lib/*-linux-gnu) node run.mjs | tee output
[ "$(cat output)" = "$expected" ]
