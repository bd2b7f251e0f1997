#!/usr/bin/env bash
# nginx 1.22.1 (Debian) sends no 408 to a client whose body stops. Its documentation of `client_body_timeout` says that
# the request is terminated with 408; that is only the status in its log. The client sees the connection close.
# Output seen:
#   log: 408
#   client: 0 bytes, then the connection is closed
set -euo pipefail
expected=$(sed -n 's/^#   //p' "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download nginx=1.22.1-9+deb12u11 libpcre2-8-0 libssl3 > /dev/null 2>&1
for package in *.deb; do dpkg -x "$package" .; done
cat > run.mjs << 'END'
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
const backend = createServer();
const unused = createServer();
const [node, port] = [await listen(backend), await listen(unused)];
unused.close();
const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
const paths = kinds.map((kind) => `${kind}_temp_path ${kind};`).join(' ');
writeFileSync(
  'nginx.conf',
  `daemon off; pid pid; error_log stderr crit; events {}
  http { log_format status $status; access_log log status; ${paths}
  client_body_timeout 1s;
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${node}; } } }`,
);
const args = ['-p', '.', '-c', `${process.cwd()}/nginx.conf`, '-e', 'stderr'];
const nginx = spawn('usr/sbin/nginx', args, { stdio: 'inherit' });
await delay(1000);

let bytes = 0;
await new Promise((done, fail) => {
  const client = connect(port, '127.0.0.1', () =>
    client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf'),
  );
  client.on('data', (chunk) => (bytes += chunk.length)).on('end', done).on('error', fail);
});
await delay(200);
console.log(`log: ${readFileSync('log', 'utf8').trim()}`);
console.log(`client: ${bytes} bytes, then the connection is closed`);
nginx.kill();
backend.close();
END
LD_LIBRARY_PATH=$(echo usr/lib/*-linux-gnu) node run.mjs | tee output
[ "$(cat output)" = "$expected" ]
