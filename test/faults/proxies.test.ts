import { readFile } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { Readable } from 'node:stream';
import {
  type ListeningAddress,
  RawConnection,
  type ReceivedResponse,
} from '@contract-server/test-support/clients/raw-connection.js';
import { issueKey } from '@contract-server/test-support/issue-key.js';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { postgresToSkip, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { describeUnless, reasonToSkipWithout } from '@contract-server/test-support/requirements.js';
import { startStreams } from '@contract-server/test-support/servers/streams.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { fetchListedPets } from '../support/clients/pet-client.js';
import {
  incomplete,
  rejectedRequests,
  request,
  sendTo,
  type Tokens,
  validRequests,
} from '../support/clients/proxied-requests.js';
import { RetryingClients } from '../support/clients/retrying-clients.js';
import { FleetNode } from '../support/servers/fleet.js';
import { type Nodes, proxies, versionOf } from '../support/servers/proxies.js';
import { createUnlimitedKey } from '../support/servers/server-process.js';
import { startService, useService } from '../support/servers/service.js';

/** What a row of the table in docs/operations.md has, after the proxy and its version. */
const columns = ['Responses', 'Limits', 'Events', 'Rolling stop', 'Own errors', 'Slow body'] as const;
const measured = new Map<string, Partial<Record<(typeof columns)[number], string>>>();
/** The value of a column for which the tests have only one acceptable result. */
const fulfilled = 'yes';

/** The service is at several addresses of this machine, because Apache requires nodes with different ones. */
const env = { HOST: '0.0.0.0', TRUST_PROXY: '1' };
const portOf = ({ server }: { readonly server: Pick<Server, 'address'> }) => (server.address() as AddressInfo).port;
const nodesOf = (port: number): Nodes => [`127.0.0.1:${String(port)}`, `127.0.0.2:${String(port)}`];

/** Headers of the connection, of the proxy, or of the moment. */
const [transport, ofProxies] = [
  ['connection', 'keep-alive'],
  ['server', 'via', 'age', 'x-varnish'],
];
const incidental = [...transport, ...ofProxies, 'date', 'x-request-id', 'ratelimit', 'x-ratelimit-remaining'];

function withoutIncidental({ headers, ...response }: ReceivedResponse): ReceivedResponse {
  const names = Object.entries(headers).filter(([name]) => !incidental.includes(name));
  return { ...response, headers: Object.fromEntries(names) };
}

const isOfService = ({ headers }: ReceivedResponse) => 'ratelimit-policy' in headers;

/** The status of an error of a proxy, with an asterisk if it has no Error body. */
function describeOwn({ status, text, headers }: ReceivedResponse): string {
  if (headers['content-type'] !== 'application/json') return `${String(status)}*`;
  expect(JSON.parse(text)).to.have.all.keys('code', 'message', 'status').and.include({ status });
  return String(status);
}

for (const proxy of proxies)
  describeUnless(reasonToSkipWithout(proxy.program), `the service behind ${proxy.name}`, function () {
    this.timeout(60_000);
    const cells: Partial<Record<(typeof columns)[number], string>> = {};
    const service = useService(env);
    let [address, tokens]: [ListeningAddress, Tokens] = [{ port: NaN }, { token: '', used: '' }];
    before(async () => {
      measured.set(proxy.file, cells);
      address = await proxy.start(nodesOf(portOf(service)));
      const { token: used } = await issueKey(service, [1, 1]);
      tokens = { token: service.token, used };
      const [creation = ''] = Object.values(validRequests(tokens));
      // Later ones are replayed.
      for (const bytes of [creation, request('GET /v1/pets', `Authorization: Bearer ${used}\r\n`)])
        await sendTo({ port: portOf(service) }, bytes);
    });

    const names = Object.keys(validRequests(tokens));
    let unchanged = 0;
    for (const name of names)
      it(`receives requests and returns responses unchanged: ${name}`, async () => {
        const bytes = validRequests(tokens)[name] ?? '';
        const proxied = await sendTo(address, bytes);
        const direct = await sendTo({ port: portOf(service) }, bytes);
        expect(proxied.status).to.equal(Number(name.slice(0, 3)));
        expect(withoutIncidental(proxied)).to.deep.equal(withoutIncidental(direct));
        expect(proxied.headers).to.include.keys('x-request-id', 'ratelimit', 'x-ratelimit-remaining', 'date');
        unchanged += 1;
        cells.Responses = `${String(unchanged)} of ${String(names.length)}`;
      });

    it('limits each client address, whatever X-Forwarded-For clients send', async () => {
      const send = async (index: number, from: string) =>
        sendTo(address, request('GET /v1/pets', `X-Forwarded-For: 192.0.2.${String(index)}\r\n`), from);
      for (let index = 0; index < 60; index += 1) expect((await send(index, '127.0.0.8')).status).to.equal(401);
      expect((await send(60, '127.0.0.8')).status).to.equal(429);
      expect((await send(60, '127.0.0.9')).status).to.equal(401);
      cells.Limits = fulfilled;
    });

    it('sends each event of a stream at once', async () => {
      const source = new Readable({ objectMode: true, read: () => undefined });
      const connection = await RawConnection.openTo(
        await proxy.start(nodesOf(portOf(await startStreams(() => source, { env })))),
      );
      connection.send(request('GET /v1/events'));
      for (const id of [1, 2, 3]) {
        source.push({ data: { id } });
        await connection.whenReceived(`data: {"id":${String(id)}}`);
      }
      source.push(null);
      await connection.whenReceived('\r\n0\r\n\r\n');
      cells.Events = fulfilled;
    });

    it('rejects what the service would reject, and returns 503 with an Error body without a node', async () => {
      const responses = await Promise.all(rejectedRequests(tokens).map((bytes) => sendTo(address, bytes)));
      for (const { status } of responses) expect(status).to.be.within(400, 431);
      const alone = await proxy.start(nodesOf(await freePort()));
      const own = [...responses.filter((response) => !isOfService(response)), await sendTo(alone, request('GET /'))];
      cells['Own errors'] = [...new Set(own.map(describeOwn))].sort().join(', ');
    });

    it('ends a request whose body does not arrive in time', async () => {
      const timeouts = { connectionsCheckingInterval: 100 };
      const slow = await startService({ ...env, REQUEST_TIMEOUT_SECONDS: '1' }, undefined, timeouts);
      const connection = await RawConnection.openTo(await proxy.start(nodesOf(portOf(slow)), 2));
      connection.send(incomplete(slow.token));
      const response = await connection.readResponse().catch(() => undefined);
      cells['Slow body'] = response === undefined ? 'closed' : describeOwn(response);
    });

    if (!proxy.isBalancer) {
      cells['Rolling stop'] = 'one node';
      return;
    }
    describeUnless(postgresToSkip, 'on two nodes', () =>
      it('loses no acknowledged pet when one node after the other is restarted', async () => {
        const databaseUrl = await (await sharedPostgres()).createDatabase();
        const shared = { DATABASE_URL: databaseUrl, DATA_DIR: temporaryDirectory(), TRUST_PROXY: '1' };
        const ports = [await freePort(), await freePort()] as const;
        const nodes = await Promise.all(ports.map((port) => FleetNode.start({ ...shared, PORT: String(port) })));
        const { port } = await proxy.start([`127.0.0.1:${String(ports[0])}`, `127.0.0.1:${String(ports[1])}`]);
        const token = await createUnlimitedKey(shared.DATA_DIR, databaseUrl);
        const baseUrl = `http://127.0.0.1:${String(port)}/v1`;
        const clients = new RetryingClients('roll', token, [() => baseUrl, () => baseUrl, () => baseUrl]);
        for (const node of nodes) {
          await clients.more(20);
          await node.server.stop();
          await node.rejoin();
        }
        await clients.more(20);
        const acknowledged = await clients.stop();
        expect(await fetchListedPets(baseUrl, token)).to.deep.equal(acknowledged);
        cells['Rolling stop'] = fulfilled;
      }),
    );
  });

describeUnless(
  proxies.map(({ program }) => reasonToSkipWithout(program)).find((reason) => reason !== undefined) ?? postgresToSkip,
  'docs/operations.md',
  () =>
    it('has the table that the tests of each proxy measured', async () => {
      const text = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
      const rows = [...text.matchAll(/^\| \[[^\]]+\]\(\.\.\/deploy\/.*$/gm)].map(([row]) => row.replace(/ +\|/g, ' |'));
      const expected = proxies.map(({ name, file, ...proxy }) => {
        const cells = columns.map((column) => measured.get(file)?.[column] ?? 'no');
        return `| [${name}](../deploy/${file}) | ${versionOf(proxy)} | ${cells.join(' | ')} |`;
      });
      // The document names the version of the last change: another one with the same results needs none.
      const current = proxies.map((proxy, index) => rows[index]?.replace(/\d+\.\d+/, versionOf(proxy)));
      expect(current).to.deep.equal(expected);
      expect(rows).to.have.lengthOf(proxies.length);
    }),
);
