import { banRuleOf } from '@contract-server/core/contract/document.js';
import { RawConnection, sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import {
  chunked,
  creation,
  creationHead,
  get,
  host,
  json,
  message,
  nonsense,
  toy,
  unknownPath,
} from '@contract-server/test-support/clients/raw-requests.js';
import { apiError, responseOf, success } from '@contract-server/test-support/contract/response.js';
import { whileLocked } from '@contract-server/test-support/fault-injection.js';
import { issueKey } from '@contract-server/test-support/issue-key.js';
import { withoutMoment } from '@contract-server/test-support/log-lines.js';
import { readMetrics } from '@contract-server/test-support/metrics.js';
import {
  assertConforms,
  contract,
  request,
  startToys,
  useNewToys,
} from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';

const unready = 'The server is stopping, or its storage is unavailable. Send requests to another server.';
const notReady = apiError(503, 'not_ready', unready, { 'retry-after': '1' });
const allow = 'GET, HEAD, OPTIONS';
const methodNotAllowed = apiError(405, 'method_not_allowed', `This path supports only ${allow}.`, { allow });

async function sendTo(origin: string | undefined, path: string, method = 'GET') {
  const response = await fetch(new URL(path, origin), { method });
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), text: await response.text() };
}

describe('/healthz and /readyz', () => {
  const service = useNewToys({ METRICS_PORT: '0' });

  /** Sends the same request to both listeners, whose responses must be the same. */
  const send = async (path: string, method = 'GET') => {
    const response = await sendTo(service.baseUrl, path, method);
    assertConforms(method, path, response);
    expect(responseOf(await sendTo(service.metricsUrl, path, method))).to.deep.equal(responseOf(response));
    return response;
  };

  for (const [path, code, message] of [
    ['/healthz', 'alive', 'The process responds.'],
    ['/readyz', 'ready', 'The stores respond.'],
  ] as const)
    it(`return 200 on both listeners, for GET, HEAD and OPTIONS only, without a key: ${path}`, async () => {
      const response = await send(path);
      expect(responseOf(response)).to.deep.equal(success(200, { code, message, status: 200 }));
      expect(response.headers).to.include({ 'cache-control': 'no-store' }).and.have.property('x-request-id');
      expect(await send(path, 'HEAD')).to.include({ status: 200, text: '' });
      expect(responseOf(await send(path, 'OPTIONS'))).to.deep.equal({ status: 204, headers: { allow } });
      for (const method of ['POST', 'PUT', 'DELETE'])
        expect(responseOf(await send(path, method))).to.deep.equal(methodNotAllowed);
    });

  it('are not rate-limited', async () => {
    for (let sent = 0; sent < 70; sent += 1) await request(service, null).get('/readyz').expect(200);
    await request(service, null).get('/v1/toys').expect(401).expect('X-RateLimit-Remaining', '59');
  });

  it('return 200 and 503 during a shutdown with a request in progress', async () => {
    const upload = await RawConnection.open(service, creation(service, toy).slice(0, -1));
    const closed = service.stop();
    expect(responseOf(await sendTo(service.baseUrl, '/readyz'))).to.deep.equal(notReady);
    expect((await sendTo(service.metricsUrl, '/readyz')).status).to.equal(503);
    expect((await sendTo(service.metricsUrl, '/healthz')).status).to.equal(200);
    upload.send('}');
    expect((await upload.readResponse()).status).to.equal(201);
    await closed;
    expect(await sendTo(service.metricsUrl, '/healthz').catch(() => 'gone')).to.equal('gone');
  });
});

const countOf = (operation: string, method: string, status: string) =>
  `toys_http_request_duration_seconds_count{operation="${operation}",method="${method}",status="${status}"}`;

describe('/metrics', () => {
  const service = useNewToys({ METRICS_PORT: '0' });

  const read = () => readMetrics(service.metricsUrl);
  /** The values that are not 0 of the metrics whose names begin so. */
  const counts = (values: ReadonlyMap<string, number>, family: string) =>
    Object.fromEntries([...values].filter(([name, value]) => name.startsWith(`toys_${family}`) && value !== 0));
  const requestCounts = (values: ReadonlyMap<string, number>) => counts(values, 'http_request_duration_seconds_count');
  /** Requests are counted when they end, shortly after the client has received the response. */
  const readAfter = async (endedRequests: number) => {
    for (;;) {
      const values = await read();
      if (Object.values(requestCounts(values)).reduce((sum, count) => sum + count, 0) >= endedRequests) return values;
    }
  };

  it('counts requests by operation, method and status, with their duration', async () => {
    for (let count = 0; count < 3; count += 1)
      await request(service).post('/v1/toys').type('json').send(toy).expect(201);
    const withoutKey = request(service, null);
    for (const path of ['/v1/toys/1', '/v1/toys/x', unknownPath]) await request(service).get(path);
    for (const path of ['/openapi.yaml', '/readyz']) await withoutKey.get(path);
    for (const sent of [withoutKey.head('/v1/toys'), withoutKey.propfind('/v1/toys')]) await sent;
    const values = await readAfter(10);
    expect(requestCounts(values)).to.deep.equal({
      [countOf('createToy', 'POST', '201')]: 3,
      [countOf('getToy', 'GET', '200')]: 1,
      [countOf('getToy', 'GET', '400')]: 1,
      [countOf('listToys', 'HEAD', '401')]: 1,
      [countOf('unknown', 'GET', '404')]: 1,
      [countOf('unknown', 'other', '405')]: 1,
      [countOf('documents', 'GET', '200')]: 1,
      [countOf('health', 'GET', '200')]: 1,
    });
    const sum = countOf('createToy', 'POST', '201').replace('_count', '_sum');
    expect(values.get(sum)).to.be.within(0.00001, 30);
  });

  it('counts every malformed request by code, whether or not its headers or its operation could be read', async () => {
    const long = 'x'.repeat(20_000);
    for (const [bytes, status] of [
      [nonsense, 400],
      [message(['GET /v1/toys HTTP/1.1']), 400],
      [creationHead(service, json, chunked) + nonsense, 400],
      [get(service, `/${long}`), 414],
      [creationHead(service, 'Expect: x'), 417],
      [get(service, '/v1/toys', `X: ${long}`), 431],
      [get(service, '/v1/toys', `X: ${long}${long}`), 431],
      [message(['CONNECT x:80 HTTP/1.1', host]), 501],
    ] as const)
      expect((await sendRaw(service, bytes)).status).to.equal(status);
    const malformed = { malformed_http: 3, uri_too_long: 1, expectation_failed: 1, headers_too_large: 2 };
    const countOfCode = ([code, count]: readonly [string, number]) =>
      [`toys_malformed_requests_total{code="${code}"}`, count] as const;
    expect(counts(await read(), 'malformed_requests_total')).to.deep.equal(
      Object.fromEntries(Object.entries({ ...malformed, not_implemented: 1 }).map(countOfCode)),
    );
  });

  it('counts rate-limit decisions and bans', async () => {
    const rule = banRuleOf(contract.document);
    const { token, key } = await issueKey(service, [1, 1000]);
    await request(service, null).get('/v1/toys').expect(401);
    await request(service, token).get('/v1/toys').expect(200);
    // The last three exceed the number of rejections that causes a ban.
    const rejections = rule.rejectedRequestsFactor + 3;
    for (let sent = 0; sent < rejections; sent += 1) await request(service, token).get('/v1/toys').expect(429);
    const values = await read();
    expect(counts(values, 'rate_limit_decisions_total')).to.deep.equal({
      'toys_rate_limit_decisions_total{client="key",decision="allowed"}': 1,
      'toys_rate_limit_decisions_total{client="key",decision="minute"}': rule.rejectedRequestsFactor,
      'toys_rate_limit_decisions_total{client="key",decision="ban"}': 3,
      'toys_rate_limit_decisions_total{client="address",decision="allowed"}': 1,
    });
    expect(values.get('toys_bans_total')).to.equal(1);
    const lines = service.log.lines.filter(({ msg }) => msg === 'ban').map(withoutMoment);
    expect(lines).to.deep.equal([
      { level: 'warn', quotaId: key.quota.id, bannedUntil: '2026-11-20T12:15:00.000Z', msg: 'ban' },
    ]);
  });

  it('reports connections and requests in progress, and counts all of them when the client disconnects', async () => {
    await whileLocked(service, async () => {
      const connection = await RawConnection.open(service, creation(service, toy) + get(service).repeat(4));
      while ((await read()).get('toys_http_requests_in_flight') !== 5);
      expect((await read()).get('toys_http_connections')).to.equal(1);
      connection.reset();
      const values = await readAfter(5);
      expect(values.get('toys_http_requests_in_flight')).to.equal(0);
      expect(requestCounts(values)).to.deep.equal({
        [countOf('createToy', 'POST', 'aborted')]: 1,
        [countOf('listToys', 'GET', '200')]: 4,
      });
    });
  });

  it('describes the process and the version, without labels that a client chooses', async () => {
    await request(service).get(`/v1/${service.token}`).set('X-Request-Id', 'traced').expect(404);
    const values = await readAfter(1);
    expect(values.get('toys_build_info{version="1.0.0"}')).to.equal(1);
    const names = [...values.keys()];
    expect(names).to.include.members(['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']);
    for (const personal of [service.token, service.keyId, 'quota_', 'traced', '127.0.0.1', '/v1', service.directory])
      expect(names.join('\n')).to.not.contain(personal);
  });
});

describe('the metrics server', () => {
  const service = useNewToys({ METRICS_PORT: '0' });

  it('runs only if it is configured, and the service itself has no metrics', async () => {
    expect((await startToys()).metricsUrl).to.equal(undefined);
    await request(service, null).get('/metrics').expect(404);
  });

  it('serves neither the API nor the contract, and only GET and HEAD', async () => {
    const message = 'No route matches. This server has only /metrics, /healthz and /readyz.';
    for (const path of ['/', '/v1/toys', '/openapi.yaml', '/metrics/', '/Metrics', '/__proto__', '/toString']) {
      const response = await sendTo(service.metricsUrl, path);
      expect(responseOf(response), path).to.deep.equal(apiError(404, 'route_not_found', message));
      expect(response.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
      expect(response.headers).to.include({ 'x-content-type-options': 'nosniff' });
    }
    expect(await sendTo(service.metricsUrl, '/metrics', 'HEAD')).to.include({ status: 200, text: '' });
    expect(responseOf(await sendTo(service.metricsUrl, '/metrics', 'POST'))).to.deep.equal(methodNotAllowed);
  });
});
