import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands before a server of this machine; of so many connections it lets the request through and cuts the answer off. */
export async function startCuttingProxy(port: number, cuts: number) {
  const sockets = new Set<Socket>();
  let left = cuts;
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => [near, far].forEach((other) => other.destroy()));
    }
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      if (left > 0) {
        left -= 1;
        near.destroy();
      } else near.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const close = () => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (proxy.address() as AddressInfo).port, close, cutsLeft: () => left };
}
