import { expect } from 'chai';
import { RawConnection } from '../support/clients/raw-connection.js';
import { describePostgres, sharedPostgres } from '../support/postgres/postgres.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const clientCount = 20;

describePostgres('A node that can open no further file', function () {
  this.timeout(30_000);
  let node: ServerProcess;
  let token: string;
  before(async () => {
    const url = await (await sharedPostgres()).createDatabase();
    node = await ServerProcess.start({ DATA_DIR: temporaryDirectory(), DATABASE_URL: url }, 'pipe', 'ulimit -n 64');
    token = await createUnlimitedKey(temporaryDirectory(), url);
  });
  after(() => node.stop());

  const open = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        RawConnection.openTo({ address: '127.0.0.1', port: Number(new URL(node.baseUrl).port) }),
      ),
    );

  it('serves requests with the connections to PostgreSQL that are open, and is ready', async () => {
    const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
    const body = '{"name":"Rex","categoryId":7}';
    const create = `POST /v1/pets ${head}Content-Type: application/json\r\nContent-Length: 29\r\n\r\n${body}`;
    const requests = [create, `GET /v1/pets/1 ${head}\r\n`, `GET /v1/pets ${head}\r\n`, `GET /readyz ${head}\r\n`];
    const clients = await open(clientCount);
    const send = async (client: RawConnection, request: string) => {
      client.send(request);
      return (await client.readResponse()).status;
    };
    for (const client of clients) expect(await send(client, create)).to.equal(201);
    const others = await open(64);
    await Promise.race(others.map((other) => other.whenEnded()));
    for (let round = 0; round < 20; round += 1) {
      const statuses = await Promise.all(
        clients.map((client, index) => send(client, requests[(index + round) % requests.length] ?? create)),
      );
      expect(new Set(statuses)).to.deep.equal(new Set([200, 201]));
    }
    for (const connection of [...clients, ...others]) connection.end();
  });
});
