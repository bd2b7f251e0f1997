import { expect } from 'chai';
import { freePort } from '../../scripts/machine/free-port.js';
import { RawConnection } from '../support/clients/raw-connection.js';
import { unknownPath } from '../support/contract/contract-requests.js';
import { corruptDatabase } from '../support/fault-injection.js';
import { describePostgres, sharedPostgres } from '../support/postgres/postgres.js';
import { describeWithRedis, RedisServer } from '../support/redis/redis-server.js';
import { TracedServer } from '../support/servers/traced-server.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const sampled = `00-${traceId}-${parentId}-01`;
const json = { 'content-type': 'application/json' };
const rex = '{"name":"Rex","categoryId":7}';

/** Span kinds and a status of OTLP. */
const [internal, server, client] = [1, 2, 3];
const failed = 2;

describe('Tracing', () => {
  let traced: TracedServer;
  beforeEach(async () => {
    traced = await TracedServer.create();
  });
  afterEach(() => traced.close());

  it('exports a span of each request, in the trace of the client, with a child for each store call', async () => {
    await traced.start();
    const headers = { ...json, traceparent: sampled, tracestate: 'vendor=1', 'user-agent': 'check/1.0' };
    const created = await traced.send('/v1/pets', { method: 'POST', headers, body: rex });
    expect(created.status).to.equal(201);
    const read = await traced.send('/v1/pets/1?x');
    expect(read.status).to.equal(400);
    await traced.stop();

    const creation = traced.spanOf('POST /v1/pets');
    const { hostname, port } = new URL(traced.process.baseUrl);
    expect(creation).to.include({ traceId, parentSpanId: parentId, traceState: 'vendor=1', kind: server });
    expect(creation.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'http.route': '/v1/pets',
      'http.response.status_code': 201,
      'url.path': '/v1/pets',
      'url.scheme': 'http',
      'server.address': hostname,
      'server.port': Number(port),
      'user_agent.original': 'check/1.0',
      'network.protocol.version': '1.1',
    });
    const calls = traced.childrenOf(creation);
    expect(calls.map(({ name }) => name)).to.deep.equal(['findByHash keys', 'consume limits', 'insert pets']);
    // Counters in memory and a file are no call of a database.
    expect(calls.map(({ kind }) => kind)).to.deep.equal([client, internal, client]);
    for (const { traceId: id, startTimeUnixNano, endTimeUnixNano } of calls) {
      expect(id).to.equal(traceId);
      expect(BigInt(startTimeUnixNano) >= BigInt(creation.startTimeUnixNano)).to.equal(true);
      expect(BigInt(endTimeUnixNano) <= BigInt(creation.endTimeUnixNano)).to.equal(true);
    }
    expect(calls.at(-1)?.attributes).to.deep.equal({
      'db.system.name': 'sqlite',
      'db.operation.name': 'insert',
    });
    expect(traced.logLineOf(created)).to.include({ traceId, parentId, spanId: creation.spanId });

    // Without `traceparent`, a request starts a trace.
    const reading = traced.spanOf('GET /v1/pets/{petId}');
    expect(reading.parentSpanId ?? '').to.equal('');
    expect(reading.attributes).to.include({ 'url.path': '/v1/pets/1', 'http.response.status_code': 400 });
    const line = traced.logLineOf(read);
    expect(line).to.include({ traceId: reading.traceId, spanId: reading.spanId });
    expect(line).to.not.have.property('parentId');
    expect(traced.process.alarms).to.deep.equal([]);
  });

  it('describes failed requests, and exports no API keys', async () => {
    await traced.start({ TRUST_PROXY: '1' });
    const encoded = traced.token.replaceAll('_', '%5F');
    const keys = { 'user-agent': encoded, tracestate: `vendor=${traced.token}`, 'x-forwarded-proto': traced.token };
    const headers = { ...keys, traceparent: sampled, authorization: '' };
    await traced.send(`${unknownPath}?key=secret`, { headers });
    await traced.send(`/v1/pets/${traced.token}`, { method: 'OPTIONS' });
    await traced.send('/v1/pets', { method: 'PROPFIND' });
    const { hostname, port } = new URL(traced.process.baseUrl);
    const raw = await RawConnection.openTo({ address: hostname, port: Number(port) });
    raw.send('DELETE /v1/pets HTTP/1.1\r\n\r\n');
    await raw.readResponse();
    const aborted = await RawConnection.openTo({ address: hostname, port: Number(port) });
    const authorization = `Host: x\r\nAuthorization: Bearer ${traced.token}\r\n`;
    const head = 'Content-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n';
    aborted.send(`POST /v1/pets HTTP/1.1\r\n${authorization}${head}`);
    expect((await aborted.readResponse()).status).to.equal(100);
    aborted.reset();
    await traced.process.waitForLog(/"aborted":true/);
    corruptDatabase(traced);
    expect((await traced.send('/v1/pets')).status).to.equal(503);
    await traced.stop();

    const unknown = traced.spanOf('GET');
    expect(unknown.status.code).to.not.equal(failed);
    expect(unknown.attributes).to.include({ 'url.path': unknownPath, 'http.response.status_code': 404 });
    expect(unknown.attributes).to.include({ 'url.scheme': 'http' });
    expect(unknown.attributes).to.not.have.any.keys('http.route', 'error.type', 'url.query', 'user_agent.original');
    expect(traced.spanOf('HTTP').attributes).to.include({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PROPFIND',
    });
    expect(traced.spanOf('DELETE').attributes).to.include({ 'http.response.status_code': 400, 'url.path': '/v1/pets' });
    const unavailable = traced.spanOf('GET /v1/pets');
    expect(unavailable.status.code).to.equal(failed);
    expect(unavailable.attributes).to.include({ 'http.response.status_code': 503, 'error.type': 'store_unavailable' });
    const [call] = traced.childrenOf(unavailable).slice(-1);
    expect(call?.status.code).to.equal(failed);
    expect(call?.attributes).to.include({ 'error.type': 'store_unavailable', 'db.system.name': 'sqlite' });
    const disconnected = traced.spanOf('POST /v1/pets');
    expect(disconnected.status.code).to.equal(failed);
    expect(disconnected.attributes).to.include({ 'error.type': 'aborted' });
    for (const { body } of traced.collector.received) {
      expect(body.includes(traced.token.slice(10)) || body.includes('secret')).to.equal(false);
    }
  });

  it('exports no spans of health checks', async () => {
    await traced.start();
    await traced.send('/healthz');
    await traced.send('/readyz');
    await traced.send('/openapi.yaml');
    await traced.stop();
    expect(traced.spanNames).to.deep.equal(['GET /openapi.yaml']);
  });

  it('names the server by PUBLIC_BASE_URL, whatever the Host header', async () => {
    const port = String(await freePort());
    await traced.start({ PORT: port, PUBLIC_BASE_URL: 'https://pets.example/v1' });
    await traced.send(`http://127.0.0.1:${port}/openapi.yaml`);
    await traced.stop();
    expect(traced.spanOf('GET /openapi.yaml').attributes).to.include({
      'url.scheme': 'https',
      'server.address': 'pets.example',
      'server.port': 443,
    });
  });

  it('respects the decision of the client to sample a trace, and that of OTEL_TRACES_SAMPLER', async () => {
    await traced.start({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
    const unsampled = await traced.send('/v1/pets');
    await traced.send('/v1/pets', { headers: { traceparent: sampled.replace(/01$/, '00') } });
    await traced.send('/v1/pets/1', { headers: { traceparent: sampled } });
    await traced.stop();
    expect(traced.spanNames).to.have.members(['consume limits', 'find pets', 'GET /v1/pets/{petId}']);
    expect(traced.logLineOf(unsampled)['traceId']).to.match(/^[0-9a-f]{32}$/);
  });

  describePostgres('with PostgreSQL', () => {
    it('names the database in the spans of store calls', async () => {
      await traced.start({ DATABASE_URL: await (await sharedPostgres()).createDatabase() });
      await traced.send('/v1/pets/1');
      await traced.stop();
      const calls = traced.childrenOf(traced.spanOf('GET /v1/pets/{petId}'));
      expect(calls.map(({ name, attributes }) => [name, attributes['db.system.name']])).to.deep.equal([
        ['findByHash keys', 'postgresql'],
        ['consume limits', undefined],
        ['find pets', 'postgresql'],
      ]);
    });
  });

  describeWithRedis('with Redis', () => {
    let redis: RedisServer;
    before(async () => {
      redis = await RedisServer.start();
    });
    after(() => redis.kill());

    it('names Redis in the spans of counted requests', async () => {
      await traced.start({ REDIS_URL: redis.url });
      await traced.send('/v1/pets');
      await traced.stop();
      expect(traced.spanOf('consume limits').attributes['db.system.name']).to.equal('redis');
    });
  });
});
