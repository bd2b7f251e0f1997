import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import express from 'express';
import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { ErrorResponses } from '#src/http/error-responses.js';
import { RateLimiter } from '#src/http/middleware/rate-limit.js';
import { type ClientError, ClientErrors } from '#src/http/protocol/client-errors.js';
import { Connections } from '#src/http/protocol/connections.js';
import { FairScheduler } from '#src/http/protocol/fair-scheduler.js';
import { ProtocolChecks } from '#src/http/protocol/protocol-checks.js';
import { RequestListener } from '#src/http/protocol/request-listener.js';
import type { RequestContext } from '#src/http/request-context.js';
import { RequestIds } from '#src/http/request-ids.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { MemoryRateLimitStore } from '#src/rate-limits/memory/memory-store.js';
import { free, start } from '../../support/budget.js';
import { RawConnection } from '../../support/raw-exchange.js';

const { document } = await readContract(contractUrl);
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe('who watches the front door', () => {
  let server: Server;
  let served: RequestContext[];
  let ended: RequestContext[];
  let faults: ClientError[];
  beforeEach(async () => {
    [served, ended, faults] = [[], [], []];
    const redactor = new KeyRedactor(document);
    const report = (error: unknown) => expect.fail(String(error));
    const requestIds = new RequestIds(document, redactor);
    const requestLimits = document['x-request-limits'];
    const limits = new MemoryRateLimitStore(document['x-rate-limit-bans'], () => start, report);
    const limiter = new RateLimiter(limits, document['x-rate-limit-plans'], free);
    const scheduler = new FairScheduler({ connectionsMax: 100, connectionsPerAddressMax: 100, isProxy: () => false });
    const connections = new Connections(scheduler);
    const clientErrors = new ClientErrors({
      errors: new ErrorResponses(document, redactor, report),
      ...{ limiter, requestIds, connections, requestLimits },
      onClientError: (fault) => faults.push(fault),
    });
    const protocolChecks = new ProtocolChecks(requestLimits);
    const onEnd = (context: RequestContext) => void ended.push(context);
    const requestListener = new RequestListener({
      ...{ app: express(), requestIds, connections, clientErrors, protocolChecks, cors: undefined, onEnd },
    });
    server = createServer(requestListener.handle);
    connections.attach(server, (context) => void served.push(context));
    server.on('clientError', (error, socket) => void clientErrors.handle(error, socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise(setImmediate);
  };

  it('is told of the end of every exchange, also of those that wait when their client leaves', async () => {
    const connection = await RawConnection.open({ server });
    connection.send(`${get('/a')}${get('/b')}${get('/c')}`);
    await until(() => served.length === 1);
    connection.end();
    await until(() => ended.length === 3);
    expect(ended.map(({ path }) => path)).to.have.members(['/a', '/b', '/c']);
    expect(served).to.have.lengthOf(1);
  });

  it('is told of the end of those that wait behind an answer that ends the connection', async () => {
    const connection = await RawConnection.open({ server });
    connection.send(`${get('/a')}${get('/b')}${get('/c')}`);
    await until(() => served.length === 1);
    served[0]?.response.writeHead(400, { Connection: 'close' }).end();
    await until(() => ended.length === 3);
    expect(ended.map(({ path }) => path)).to.deep.equal(['/a', '/b', '/c']);
    expect(served).to.have.lengthOf(1);
    connection.end();
  });

  it('is told of faults where no exchange came to be, once each', async () => {
    const connection = await RawConnection.open({ server });
    connection.send('nonsense\r\n\r\n');
    const { headers } = await connection.answer();
    connection.send('nonsense\r\n\r\n');
    connection.end();
    await until(() => faults.length > 0);
    expect(faults).to.deep.equal([
      { status: 400, code: 'malformed_http', address: '127.0.0.1', requestId: headers['x-request-id'] },
    ]);
    expect(ended).to.deep.equal([]);
  });
});
