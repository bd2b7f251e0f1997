import { expect } from 'chai';
import { settingWarnings } from '#src/cli/commands/start-warnings.js';
import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';

const { document } = await readContract(contractUrl);
const read = (env: Readonly<Record<string, string>>) => readConfig(env, document).telemetry;
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };
const defaults = {
  traces: 'http/protobuf',
  metrics: 'http/protobuf',
  metricsIntervalMs: 60_000,
  metricsTimeoutMs: 30_000,
};

const invalidValues = {
  OTEL_SDK_DISABLED: ['1', 'yes'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector.example:4318', 'grpc://collector.example', 'http://'],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ['/v1/traces'],
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ['/v1/metrics'],
  OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc', 'HTTP/JSON'],
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: ['grpc'],
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: ['grpc'],
  OTEL_TRACES_EXPORTER: ['console', 'otlp,console', 'zipkin'],
  OTEL_METRICS_EXPORTER: ['prometheus'],
  OTEL_TRACES_SAMPLER: ['sometimes', 'jaeger_remote'],
  OTEL_TRACES_SAMPLER_ARG: ['1.1', '-1', '10%', '.'],
  OTEL_RESOURCE_ATTRIBUTES: ['staging', 'a=b,=c', 'a=b=c', 'a=%'],
  OTEL_METRIC_EXPORT_INTERVAL: ['0', '1s', '-1'],
  OTEL_METRIC_EXPORT_TIMEOUT: ['0'],
};

describe('the variables of OpenTelemetry', () => {
  it('select nothing without an endpoint, or if they are disabled', () => {
    expect(read({})).to.equal(undefined);
    expect(read({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SERVICE_NAME: 'shop' })).to.equal(undefined);
    expect(read({ ...endpoint, OTEL_SDK_DISABLED: 'True', OTEL_TRACES_EXPORTER: 'console' })).to.equal(undefined);
    expect(read({ ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' })).to.equal(undefined);
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).to.equal(undefined);
  });

  it('select the signals and their protocols', () => {
    expect(read({ ...endpoint, OTEL_SDK_DISABLED: 'false' })).to.deep.equal(defaults);
    expect(read({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' })).to.deep.equal({ ...defaults, metrics: undefined });
    const metricsOnly = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://collector.example/v1/metrics' };
    expect(read(metricsOnly)).to.deep.equal({ ...defaults, traces: undefined });
    const protocols = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' };
    expect(read({ ...endpoint, ...protocols })).to.deep.equal({ ...defaults, metrics: 'http/json' });
    expect(read({ ...endpoint, OTEL_METRIC_EXPORT_INTERVAL: '1000' })).to.deep.equal({
      ...defaults,
      metricsIntervalMs: 1000,
      metricsTimeoutMs: 1000,
    });
  });

  it('accept every sampler and resource attributes, which the SDK reads', () => {
    for (const sampler of ['always_on', 'traceidratio', 'parentbased_always_off', 'parentbased_traceidratio']) {
      expect(read({ ...endpoint, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.25' })).to.deep.equal(
        defaults,
      );
    }
    const attributes = 'deployment.environment.name=staging, host.name=node%201%3D1,';
    expect(read({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: attributes })).to.deep.equal(defaults);
  });

  for (const [name, values] of Object.entries(invalidValues)) {
    it(`prevent startup if ${name} is invalid`, () => {
      for (const value of values) {
        expect(() => read({ ...endpoint, [name]: value })).to.throw(`Invalid configuration:\n  ${name}=${value}: `);
      }
    });
  }

  it('are reported together with the settings, without passwords', () => {
    expect(() =>
      read({ PORT: 'http', OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://user:secret@host', OTEL_TRACES_EXPORTER: 'file' }),
    ).to.throw(
      'Invalid configuration:\n' +
        '  PORT=http: must be a TCP port from 0 to 65535.\n' +
        '  OTEL_EXPORTER_OTLP_ENDPOINT=ftp://…@host: must be a URL like http://collector.example:4318.\n' +
        '  OTEL_TRACES_EXPORTER=file: must be one of: otlp, none.',
    );
  });

  it('cause no warning about a variable that resembles a setting', () => {
    const names = [...Object.keys(invalidValues), 'OTEL_LOGS_EXPORTER', 'OTEL_PROPAGATORS', 'OTEL_BSP_MAX_QUEUE_SIZE'];
    expect(settingWarnings(Object.fromEntries(names.map((name) => [name, 'x'])))).to.deep.equal([]);
  });
});
