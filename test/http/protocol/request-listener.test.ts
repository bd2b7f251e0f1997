import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import express from 'express';
import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { AddressLimit } from '#src/http/address-limit.js';
import { ErrorResponses } from '#src/http/middleware/error-handler.js';
import { ClientErrors, type MalformedRequestEvent } from '#src/http/protocol/client-errors.js';
import { Connections } from '#src/http/protocol/connections.js';
import { FairScheduler } from '#src/http/protocol/fair-scheduler.js';
import { ProtocolChecks } from '#src/http/protocol/protocol-checks.js';
import { RequestListener } from '#src/http/protocol/request-listener.js';
import type { RequestContext } from '#src/http/request-context.js';
import { RequestIds } from '#src/http/request-ids.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { RawConnection } from '../../support/clients/raw-connection.js';

const { document } = await readContract(contractUrl);
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe('RequestListener', () => {
  let server: Server;
  let served: RequestContext[];
  let ended: RequestContext[];
  let clientErrorsSeen: MalformedRequestEvent[];
  beforeEach(async () => {
    [served, ended, clientErrorsSeen] = [[], [], []];
    const redactor = new KeyRedactor(document);
    const report = (error: unknown) => expect.fail(String(error));
    const requestIds = new RequestIds(document, redactor);
    const requestLimits = document['x-request-limits'];
    const addressLimit = new AddressLimit(60);
    const scheduler = new FairScheduler({ connectionsMax: 100, connectionsPerAddressMax: 100, isProxy: () => false });
    const connections = new Connections(scheduler);
    const clientErrors = new ClientErrors({
      errors: new ErrorResponses(document, redactor, report),
      ...{ addressLimit, requestIds, connections, requestLimits },
      onClientError: (error) => clientErrorsSeen.push(error),
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

  it('reports the end of every request, including waiting requests of a client that disconnects', async () => {
    const connection = await RawConnection.open({ server });
    connection.send(`${get('/a')}${get('/b')}${get('/c')}`);
    await until(() => served.length === 1);
    connection.end();
    await until(() => ended.length === 3);
    expect(ended.map(({ path }) => path)).to.have.members(['/a', '/b', '/c']);
    expect(served).to.have.lengthOf(1);
  });

  it('reports the end of requests that wait behind a response that closes the connection', async () => {
    const connection = await RawConnection.open({ server });
    connection.send(`${get('/a')}${get('/b')}${get('/c')}`);
    await until(() => served.length === 1);
    served[0]?.response.writeHead(400, { Connection: 'close' }).end();
    await until(() => ended.length === 3);
    expect(ended.map(({ path }) => path)).to.deep.equal(['/a', '/b', '/c']);
    expect(served).to.have.lengthOf(1);
    connection.end();
  });

  it('closes the connection after a request with Upgrade, and serves no request behind it', async () => {
    const connection = await RawConnection.open({ server });
    connection.send(`GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n${get('/b')}`);
    await until(() => served.length === 1);
    served[0]?.response.end('a');
    expect((await connection.readResponse()).headers).to.include({ connection: 'close' });
    await connection.whenEnded();
    connection.send(get('/c'));
    connection.end();
    await until(() => ended.length === 1);
    expect(served.map(({ path }) => path)).to.deep.equal(['/a']);
  });

  it('reports a client error without a request context once', async () => {
    const connection = await RawConnection.open({ server });
    connection.send('nonsense\r\n\r\n');
    const { headers } = await connection.readResponse();
    connection.send('nonsense\r\n\r\n');
    connection.end();
    await until(() => clientErrorsSeen.length > 0);
    expect(clientErrorsSeen).to.deep.equal([
      { status: 400, code: 'malformed_http', address: '127.0.0.1', requestId: headers['x-request-id'] },
    ]);
    expect(ended).to.deep.equal([]);
  });
});
