#!/usr/bin/env bash
# Caddy 2.6.2 (Debian) holds back a response that the backend sends before the request body is complete: the client
# receives it only when it has sent the rest of the body, or when `read_body` expires, which has no default. The server
# of Go reads the rest of a body of up to 256 KiB before it sends the head of a response.
# Output seen:
#   directly: 401 before the rest of the body
#   Caddy: 401 after the rest of the body
set -euo pipefail
expected=$(sed -n 's/^#   //p' "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download caddy=2.6.2-5 > /dev/null 2>&1
dpkg -x caddy_*.deb .
cat > run.mjs << 'END'
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
const backend = createServer((_, response) => response.writeHead(401, { 'Content-Length': 0 }).end());
const unused = createTcpServer();
const [node, port] = [await listen(backend), await listen(unused)];
unused.close();
const site = `bind 127.0.0.1\n\treverse_proxy 127.0.0.1:${node}`;
writeFileSync('Caddyfile', `{\n\tadmin off\n}\nhttp://:${port} {\n\t${site}\n}\n`);
const env = { ...process.env, XDG_CONFIG_HOME: process.cwd(), XDG_DATA_HOME: process.cwd() };
const args = ['run', '--adapter', 'caddyfile', '--config', 'Caddyfile'];
const caddy = spawn('usr/bin/caddy', args, { stdio: 'ignore', env });
await delay(2000);

const send = (to) =>
  new Promise((done, fail) => {
    let isComplete = false;
    const client = connect(to, '127.0.0.1', async () => {
      client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nfirst');
      await delay(2000);
      isComplete = true;
      client.write(' half');
    });
    client.on('error', fail).once('data', (chunk) => {
      done(`${String(chunk).slice(9, 12)} ${isComplete ? 'after' : 'before'} the rest of the body`);
      setTimeout(() => client.destroy(), 2500);
    });
  });
console.log(`directly: ${await send(node)}`);
console.log(`Caddy: ${await send(port)}`);
caddy.kill();
backend.close();
END
node run.mjs | tee output
[ "$(cat output)" = "$expected" ]
