import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { endResponse } from '#src/http/protocol/end-response.js';

/** The response that a client receives, and the writes to the socket. */
async function respondWith(body: string): Promise<{ text: string; length: string | null; writes: unknown[] }> {
  const writes: unknown[] = [];
  const server = createServer((_request, response) => {
    const { socket } = response;
    if (socket === null) throw new Error('The response has no connection.');
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
    socket.write = (...args: unknown[]) => {
      writes.push(args[0]);
      return write(...args);
    };
    response.writeHead(200, ['Content-Length', String(Buffer.byteLength(body))]);
    endResponse(response, body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const response = await fetch(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`);
    return { text: await response.text(), length: response.headers.get('content-length'), writes };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Fails if a Node version stores the head of a response differently. */
describe('endResponse', () => {
  it('sends the head and the body with a single write of a single string', async () => {
    const { text, length, writes } = await respondWith('{"name":"Rex"}');
    expect(text).to.equal('{"name":"Rex"}');
    expect(length).to.equal('14');
    expect(writes).to.have.lengthOf(1);
    expect(writes[0]).to.match(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n\{"name":"Rex"\}$/);
  });

  it('sends every character of a body that is not ASCII', async () => {
    const { text, length } = await respondWith('{"name":"Zoë 🐕"}');
    expect(text).to.equal('{"name":"Zoë 🐕"}');
    expect(length).to.equal('20');
  });

  it('sends a response with an empty body', async () => {
    expect(await respondWith('')).to.deep.include({ text: '', length: '0' });
  });
});
