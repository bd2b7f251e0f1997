import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { listen } from '#src/http/server.js';

describe('listen', () => {
  it('reports each error of the server while it listens, which does not end the process', async () => {
    const reported: unknown[] = [];
    const report = (error: unknown) => reported.push(error);
    const server = createServer();
    await listen(server, { host: '127.0.0.1', port: 0, settings: 'HOST and PORT', report });
    const errors = [new Error('accept ENOBUFS'), new Error('accept EPERM')];
    for (const error of errors) server.emit('error', error);
    await once(server.close(), 'close');
    expect(reported).to.deep.equal(errors);
  });
});
