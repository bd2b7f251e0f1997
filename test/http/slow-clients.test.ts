import { expect } from 'chai';
import { SlowClients } from '../support/clients/slow-clients.js';
import { rex } from '../support/pets.js';
import { startService, type TestService } from '../support/servers/service.js';

/** A fiftieth of the timeouts of the service, in milliseconds. */
const scaledTimeouts = { headersTimeout: 400, requestTimeout: 1000, connectionsCheckingInterval: 100 };
const stallTimeoutMs = 2000;
/** Maximum time until all are disconnected: the longest timeout, and the delays of a busy machine. */
const goneMs = 10_000;

describe('slow clients', () => {
  let service: TestService;
  let clients: SlowClients;
  beforeEach(async () => {
    service = await startService({ MAX_CONNECTIONS_PER_ADDRESS: '0' }, undefined, scaledTimeouts);
    service.server.setTimeout(stallTimeoutMs);
    clients = new SlowClients(service.baseUrl, service.token, 100);
  });

  const statusOfOthers = async () => {
    const headers = { authorization: `Bearer ${service.token}` };
    return (await fetch(`${service.baseUrl}/pets`, { headers })).status;
  };

  it('receive 408 and are disconnected if headers or bodies are late, while others are served', async () => {
    const attacks = [clients.attack(500, 'headers'), clients.attack(200, 'body'), clients.attack(50, 'silent')];
    const attack = { isOver: false };
    const endings = Promise.all(attacks).finally(() => (attack.isOver = true));
    while (!attack.isOver) expect(await statusOfOthers()).to.equal(200);
    const [headers = [], body = [], silent = []] = await endings;
    for (const { status } of [...headers, ...body]) expect(status).to.equal(408);
    for (const { afterMs } of [...headers, ...body, ...silent]) expect(afterMs).to.be.below(goneMs);
  });

  it('have 20 s for headers and 50 s for a request', async () => {
    const { server } = await startService();
    expect(server).to.include({ headersTimeout: 20_000, requestTimeout: 50_000, timeout: 25_000 });
  });

  it('receive 408 before they are disconnected if they stop in the middle of a body', async () => {
    service.server.setTimeout(200);
    service.server.requestTimeout = 10 * goneMs;
    for (const { status } of await clients.attack(5, 'stopped')) expect(status).to.equal(408);
  });

  it('are disconnected if they never read their responses', async () => {
    for (let count = 0; count < 100; count += 1) await service.stores.pets.insert({ ...rex, name: 'x'.repeat(255) });
    const attacks = [clients.attack(1, 'deaf'), clients.attack(1, 'deaf to short responses')];
    for (const { afterMs } of (await Promise.all(attacks)).flat()) expect(afterMs).to.be.below(goneMs);
    expect(await statusOfOthers()).to.equal(200);
  });
});
