import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { operationIdsOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { RawConnection, sendRaw } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import { unknownPath } from '../../support/contract/contract-requests.js';
import { apiError, responseOf } from '../../support/contract/response.js';
import { corruptDatabase, forgetKeys, openBeside } from '../../support/fault-injection.js';
import { readMetrics } from '../../support/metrics.js';
import { issueFreeKey } from '../../support/rate-limits/free-key.js';
import { startOfTests, startService, type TestService } from '../../support/servers/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const contract = await readContract(contractUrl);

/** The next request of such a key causes a ban. */
const almostBanned = {
  minuteStartedAt: startOfTests,
  minuteUsed: 60,
  minuteRejected: 600,
};

const countOf = (operation: string, method: string, status: string) =>
  `petstore_http_request_duration_seconds_count{operation="${operation}",method="${method}",status="${status}"}`;

describe('/metrics', () => {
  let service: TestService;
  const start = async (env: Readonly<Record<string, string>> = {}) =>
    (service = await startService({ METRICS_PORT: '0', ...env }));

  const read = () => readMetrics(service.metricsUrl);
  /** Requests are counted when they end, shortly after the client has received the response. */
  const readAfter = async (endedRequests: number) => {
    for (;;) {
      const values = await read();
      const counts = [...values].filter(([name]) => name.startsWith('petstore_http_request_duration_seconds_count'));
      if (counts.reduce((sum, [, count]) => sum + count, 0) >= endedRequests) return values;
    }
  };
  const counts = (values: ReadonlyMap<string, number>, family: string) =>
    Object.fromEntries([...values].filter(([name, value]) => name.startsWith(`petstore_${family}`) && value !== 0));

  it('counts requests by operation, method and status, with their duration', async () => {
    await start();
    for (const id of [1, 2, 3])
      await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: id }).expect(201);
    await request(service).get('/v1/pets/1').expect(200);
    await request(service).get('/v1/pets/99').expect(404);
    await request(service, null).head('/v1/pets').expect(401);
    await request(service).get(unknownPath).expect(404);
    await request(service, null).propfind('/v1/pets').expect(405);
    for (const path of ['/openapi.yaml', '/readyz']) await request(service, null).get(path).expect(200);
    const values = await readAfter(10);
    const expected = [
      ['createPet', 'POST', '201', 3],
      ['getPet', 'GET', '200', 1],
      ['getPet', 'GET', '404', 1],
      ['listPets', 'HEAD', '401', 1],
      ['unknown', 'GET', '404', 1],
      ['unknown', 'other', '405', 1],
      ['documents', 'GET', '200', 1],
      ['health', 'GET', '200', 1],
    ] as const;
    expect(counts(values, 'http_request_duration_seconds_count')).to.deep.equal(
      Object.fromEntries(
        expected.map(([operation, method, status, count]) => [countOf(operation, method, status), count]),
      ),
    );
    const labels = 'operation="createPet",method="POST",status="201"';
    expect(values.get(`petstore_http_request_duration_seconds_bucket{le="+Inf",${labels}}`)).to.equal(3);
    expect(values.get(`petstore_http_request_duration_seconds_sum{${labels}}`)).to.be.within(0.00001, 30);
  });

  it('counts malformed requests by error code', async () => {
    await start();
    for (let time = 0; time < 3; time += 1) await sendRaw(service, 'nonsense\r\n\r\n');
    expect(counts(await read(), 'malformed_requests_total')).to.deep.equal({
      'petstore_malformed_requests_total{code="malformed_http"}': 3,
    });
  });

  it('counts rate-limit decisions and bans', async () => {
    const directory = temporaryDirectory();
    const token = await issueFreeKey(directory, almostBanned);
    await start({ DATA_DIR: directory });
    await request(service).get('/v1/pets').expect(200);
    await request(service, null).get('/v1/pets').expect(401);
    // The first request causes the ban, which rejects the others.
    for (let sent = 0; sent < 3; sent += 1) await request(service, token).get('/v1/pets').expect(429);
    const values = await readAfter(5);
    expect(counts(values, 'rate_limit_decisions_total')).to.deep.equal({
      'petstore_rate_limit_decisions_total{client="key",decision="allowed"}': 1,
      'petstore_rate_limit_decisions_total{client="key",decision="ban"}': 3,
      'petstore_rate_limit_decisions_total{client="address",decision="allowed"}': 1,
    });
    expect(values.get('petstore_bans_total')).to.equal(1);
    const [line = {}] = service.log.lines.filter(({ msg }) => msg === 'ban');
    expect(line).to.include({ level: 'warn', bannedUntil: '2026-11-20T12:15:00.000Z' });
    expect(line['quotaId']).to.match(/^quota_/);
    expect(service.log.lines.filter(({ msg }) => msg === 'ban')).to.have.lengthOf(1);
  });

  it('counts and times store operations, including failed ones, and measures group commits', async () => {
    await start();
    await Promise.all(
      Array.from({ length: 10 }, () =>
        request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 1 }).expect(201),
      ),
    );
    await request(service).get('/v1/pets').expect(200);
    const before = await read();
    const calls = (values: ReadonlyMap<string, number>, store: string, operation: string) =>
      values.get(`petstore_store_operation_duration_seconds_count{store="${store}",operation="${operation}"}`);
    expect(calls(before, 'pets', 'insert')).to.equal(10);
    expect(calls(before, 'pets', 'list')).to.equal(1);
    expect(calls(before, 'keys', 'findByHash')).to.equal(1);
    expect(calls(before, 'quotas', 'consume')).to.equal(11);
    expect(before.get('petstore_group_commit_size_sum')).to.equal(10);
    expect(counts(before, 'store_errors_total')).to.deep.equal({});
    corruptDatabase(service);
    await request(service).get('/v1/pets').expect(503);
    forgetKeys(service);
    await request(service).get('/v1/pets').expect(503);
    expect(counts(await read(), 'store_errors_total')).to.deep.equal({
      'petstore_store_errors_total{store="pets",operation="list"}': 1,
      'petstore_store_errors_total{store="keys",operation="findByHash"}': 1,
    });
  });

  it('reports requests in flight and open connections, and counts aborted requests', async () => {
    await start();
    const connection = await RawConnection.open(service);
    const head =
      `Host: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: ` +
      '9\r\n\r\n';
    connection.send(`POST /v1/pets HTTP/1.1\r\n${head}{`);
    await request(service).get('/v1/pets').expect(200);
    let values = await readAfter(1);
    expect(values.get('petstore_http_requests_in_flight')).to.equal(1);
    expect(values.get('petstore_http_connections')).to.be.within(1, 2);
    connection.reset();
    values = await readAfter(2);
    expect(values.get('petstore_http_requests_in_flight')).to.equal(0);
    expect(values.get(countOf('createPet', 'POST', 'aborted'))).to.equal(1);
  });

  it('counts requests that wait behind another one on a connection that is reset', async () => {
    await start();
    const lock = openBeside(service);
    lock.exec('BEGIN IMMEDIATE');
    const connection = await RawConnection.open(service);
    const head = `Host: x\r\nAuthorization: Bearer ${service.token}\r\n`;
    const body = '{"name":"Rex","categoryId":7}';
    const length = `Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n`;
    connection.send(`POST /v1/pets HTTP/1.1\r\n${head}${length}${body}`);
    connection.send(`GET /v1/pets HTTP/1.1\r\n${head}\r\n`.repeat(4));
    while ((await read()).get('petstore_http_requests_in_flight') !== 5);
    connection.reset();
    const values = await readAfter(5);
    lock.close();
    expect(values.get('petstore_http_requests_in_flight')).to.equal(0);
    expect(counts(values, 'http_request_duration_seconds_count')).to.deep.equal({
      [countOf('createPet', 'POST', 'aborted')]: 1,
      [countOf('listPets', 'GET', '200')]: 4,
    });
  });

  it('describes the process and the version, without labels that a client chooses', async () => {
    await start();
    await request(service).get(`/v1/${service.token}`).set('X-Request-Id', 'traced').expect(404);
    const values = await readAfter(1);
    expect(values.get('petstore_build_info{version="1.0.0"}')).to.equal(1);
    const names = [...values.keys()];
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect(names).to.include(name);
    }
    const text = names.join('\n');
    for (const personal of [service.token, service.keyId, 'quota_', 'traced', '127.0.0.1', '/v1', service.directory]) {
      expect(text).to.not.contain(personal);
    }
    const own = names.filter((name) => name.startsWith('petstore_'));
    const labels = new Set(own.flatMap((name) => [...name.matchAll(/([a-z]+)="/g)].map(([, label]) => label)));
    expect([...labels]).to.have.members([
      'operation',
      'method',
      'status',
      'le',
      'store',
      'client',
      'decision',
      'version',
    ]);
    const operations = own.flatMap((name) => /^petstore_http.*operation="([^"]*)"/.exec(name)?.[1] ?? []);
    expect([...operationIdsOf(contract.document), 'unknown']).to.include.members(operations);
  });
});

describe('the metrics server', () => {
  it('runs only if it is configured, and the service itself has no metrics', async () => {
    const service = await startService();
    expect(service.metricsUrl).to.equal(undefined);
    await request(service, null).get('/metrics').expect(404);
  });

  it('serves neither the API nor the contract', async () => {
    const service = await startService({ METRICS_PORT: '0' });
    for (const path of ['/', '/v1/pets', '/openapi.yaml', '/metrics/', '/Metrics', '/__proto__', '/toString']) {
      const response = await fetch(new URL(path, service.metricsUrl), {
        headers: { authorization: `Bearer ${service.token}` },
      });
      const { status } = response;
      const received = { status, headers: Object.fromEntries(response.headers), text: await response.text() };
      expect(responseOf(received), path).to.deep.equal(
        apiError(404, 'route_not_found', 'No route matches. This server has only /metrics, /healthz and /readyz.'),
      );
      expect(response.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
    }
    const head = await fetch(String(service.metricsUrl), { method: 'HEAD' });
    expect({ status: head.status, text: await head.text() }).to.deep.equal({ status: 200, text: '' });
    const post = await fetch(String(service.metricsUrl), { method: 'POST' });
    expect({ status: post.status, allow: post.headers.get('allow') }).to.deep.equal({
      status: 405,
      allow: 'GET, HEAD, OPTIONS',
    });
  });

  it('returns an Error body for malformed bytes, and closes the connection', async () => {
    const service = await startService({ METRICS_PORT: '0' });
    const { hostname, port } = new URL(String(service.metricsUrl));
    const connection = await RawConnection.openTo({ address: hostname, port: Number(port) });
    connection.send('nonsense\r\n\r\n');
    const response = await connection.readResponse();
    expect(responseOf(response)).to.deep.equal(
      apiError(
        400,
        'malformed_http',
        'The request is not valid HTTP/1.1: it does not start with a known method and a space.',
      ),
    );
    expect(response.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    await connection.whenEnded();
  });

  it('prevents startup if its port is in use, with a message that names its settings', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const port = String((holder.address() as AddressInfo).port);
    const error: unknown = await startService({ METRICS_PORT: port }).catch((reason: unknown) => reason);
    expect(String(error)).to.equal(
      `StartError: Cannot listen on 127.0.0.1 port ${port}: listen EADDRINUSE: address already in use ` +
        `127.0.0.1:${port}. See METRICS_HOST and METRICS_PORT.`,
    );
    holder.close();
  });
});
