import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { unknownPath } from '../support/contract/contract-requests.js';
import { OtlpCollector } from '../support/servers/otlp-collector.js';
import { TracedServer } from '../support/servers/traced-server.js';

/** The shutdown waits 0.4 s for the last export. */
const stopMs = 4000;

describe('OpenTelemetry', () => {
  let traced: TracedServer;
  beforeEach(async () => {
    traced = await TracedServer.create();
  });
  afterEach(() => traced.close());

  it('exports the duration of requests', async () => {
    await traced.start();
    for (const path of ['/v1/pets', '/v1/pets', unknownPath]) await traced.send(path);
    await traced.stop();
    const points = traced.collector.pointsOf('http.server.request.duration');
    const common = { 'http.request.method': 'GET', 'network.protocol.version': '1.1', 'url.scheme': 'http' };
    expect(points.map(({ attributes, count }) => ({ attributes, count }))).to.deep.equal([
      { attributes: { ...common, 'http.route': '/v1/pets', 'http.response.status_code': 200 }, count: 2 },
      { attributes: { ...common, 'http.response.status_code': 404 }, count: 1 },
    ]);
    for (const { explicitBounds } of points) expect(explicitBounds).to.include.members([0.005, 10]);
  });

  it('exports the metrics of /metrics, although they are not served', async () => {
    await traced.start();
    for (const path of ['/v1/pets', '/v1/pets']) await traced.send(path);
    await traced.stop();
    expect(traced.process.metricsUrl).to.equal('');
    const [requests] = traced.collector.pointsOf('petstore_http_request_duration_seconds');
    expect(requests).to.deep.include({ attributes: { operation: 'listPets', status: '200' }, count: 2 });
    const { bucketCounts = [], explicitBounds = [], sum = NaN } = requests ?? {};
    expect(explicitBounds.slice(0, 2)).to.deep.equal([0.0005, 0.001]);
    expect(bucketCounts).to.have.lengthOf(explicitBounds.length + 1);
    expect(bucketCounts.reduce((total, count) => total + count, 0)).to.equal(2);
    expect(sum).to.be.within(0.00001, 30);
    const decisions = traced.collector.pointsOf('petstore_rate_limit_decisions_total');
    expect(decisions.map(({ attributes, asDouble }) => ({ ...attributes, asDouble }))).to.deep.include({
      ...{ client: 'key', decision: 'allowed', asDouble: 2 },
    });
    const [memory] = traced.collector.pointsOf('process_resident_memory_bytes');
    expect(memory?.asDouble).to.be.above(1e6);
  });

  it('describes the service, its version and the node', async () => {
    await traced.start({ OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging' });
    await traced.send('/v1/pets');
    await traced.stop();
    const { resources } = traced.collector;
    expect(resources).to.have.lengthOf(2);
    for (const resource of resources) {
      expect(resource).to.include({
        'service.name': 'petstore',
        'service.version': '1.0.0',
        'deployment.environment.name': 'staging',
      });
      expect(resource['service.instance.id']).to.match(/^[0-9a-f-]{36}$/);
    }
  });

  it('exports in the background while the service runs, by default as Protocol Buffers', async () => {
    await traced.start({
      OTEL_EXPORTER_OTLP_PROTOCOL: '',
      OTEL_BSP_SCHEDULE_DELAY: '10',
      OTEL_METRIC_EXPORT_INTERVAL: '50',
    });
    await traced.send('/v1/pets');
    const isReceived = (path: string, text: string) =>
      traced.collector.received.some((each) => each.path === path && each.body.includes(text));
    while (!isReceived('/v1/traces', 'GET /v1/pets') || !isReceived('/v1/metrics', 'http.server.request.duration'))
      await traced.collector.whenReceived(traced.collector.requestCount + 1);
    expect(new Set(traced.collector.received.map(({ contentType }) => contentType))).to.deep.equal(
      new Set(['application/x-protobuf']),
    );
    await traced.stop();
  });

  it('exports one signal only if the other has no endpoint or exporter', async () => {
    const { endpoint } = traced.collector;
    const signals = async (env: Readonly<Record<string, string>>) => {
      await traced.start({ OTEL_EXPORTER_OTLP_ENDPOINT: '', ...env });
      const response = await traced.send('/v1/pets');
      await traced.stop();
      const paths = traced.collector.received.splice(0).map(({ path }) => path);
      return { paths, hasTraceId: traced.logLineOf(response)['traceId'] !== undefined };
    };
    expect(await signals({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/own` })).to.deep.equal({
      paths: ['/own'],
      hasTraceId: true,
    });
    expect(await signals({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' })).to.deep.equal({
      paths: ['/v1/metrics'],
      hasTraceId: false,
    });
  });

  it('serves requests while the collector is unreachable, and logs the outage once', async () => {
    const { port } = new URL(traced.collector.endpoint);
    await traced.collector.close();
    // A refused connection is retried after a second, unless that is later than the timeout.
    const frequent = {
      OTEL_BSP_SCHEDULE_DELAY: '10',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    };
    await traced.start(frequent);
    for (let sent = 0; sent < 20; sent += 1) expect((await traced.send('/v1/pets')).status).to.equal(200);
    await traced.process.waitForLog(/telemetry export failed/);
    for (let sent = 0; sent < 20; sent += 1) expect((await traced.send('/v1/pets')).status).to.equal(200);
    traced.collector = await OtlpCollector.start({ port: Number(port) });
    await traced.send('/v1/pets');
    await traced.process.waitForLog(/telemetry export recovered/);
    await traced.stop();
    expect(traced.process.alarms.map(({ level, msg }) => `${String(level)} ${String(msg)}`)).to.deep.equal([
      'warn telemetry export failed',
      'warn telemetry export recovered',
    ]);
  });

  it('logs that the collector does not end its responses, and closes these connections', async () => {
    traced.collector.isEndless = true;
    await traced.start({
      OTEL_BSP_SCHEDULE_DELAY: '10',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    });
    await traced.send('/v1/pets');
    await traced.process.waitForLog(/telemetry export failed/);
    const detail = 'TimeoutError: The collector did not end its response in time.';
    expect(traced.process.alarms).to.have.lengthOf(1);
    expect(traced.process.alarms[0]).to.include({ detail });
    traced.collector.isEndless = false;
    await traced.send('/v1/pets');
    await traced.process.waitForLog(/telemetry export recovered/);
    // One idle connection for traces, and one for metrics.
    await traced.collector.whenConnections(2);
    await traced.stop();
  });

  it('stops in time although the collector does not respond', async () => {
    await traced.collector.close();
    traced.collector = await OtlpCollector.start({ isResponding: false });
    await traced.start();
    await traced.send('/v1/pets');
    const stoppedAt = performance.now();
    await traced.stop();
    expect(performance.now() - stoppedAt).to.be.below(stopMs);
    expect(traced.process.alarms.map(({ msg }) => msg)).to.deep.equal(['telemetry export failed']);
  });

  it('reads variables from an --env-file', async () => {
    const file = join(traced.directory, 'settings.env');
    writeFileSync(file, 'OTEL_SERVICE_NAME=from-file\n');
    await traced.start({}, ['--env-file', file]);
    await traced.send('/v1/pets');
    await traced.stop();
    const names = traced.collector.resources.map((resource) => resource['service.name']);
    expect(new Set(names)).to.deep.equal(new Set(['from-file']));
  });

  it('is not loaded unless it is configured', async () => {
    const loaded = async (env: Readonly<Record<string, string>>) => {
      const coverage = join(traced.directory, 'coverage');
      mkdirSync(coverage, { recursive: true });
      await traced.start({ ...env, NODE_V8_COVERAGE: coverage });
      await traced.send('/v1/pets');
      await traced.stop();
      const texts = readdirSync(coverage).map((name) => readFileSync(join(coverage, name), 'utf8'));
      const scripts = texts.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
      const names = scripts.map(({ url }) => url.replace(/^.*\/(?=dist\/|node_modules\/)/, ''));
      expect(names).to.include('dist/main.js');
      return names.filter((name) => /@opentelemetry|\/(telemetry|spans)(-[\w-]{8})?\.js$/.test(name));
    };
    expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).to.deep.equal([]);
    expect(await loaded({ OTEL_SDK_DISABLED: 'true' })).to.deep.equal([]);
    expect(traced.collector.requestCount).to.equal(0);
    const names = await loaded({});
    expect(names).to.include('node_modules/@opentelemetry/api/build/src/index.js');
    expect(names.join()).to.match(/\bdist\/\w+\/telemetry\b/);
  });
});
