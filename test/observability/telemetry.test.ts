import { context, trace } from '@opentelemetry/api';
import { expect } from 'chai';
import { StartError } from '#src/lib/errors.js';
import { Telemetry } from '#src/observability/telemetry.js';
import { reply, ScriptedServer } from '../support/servers/scripted-server.js';

const config = {
  traces: 'http/json',
  metrics: undefined,
  metricsIntervalMs: 60_000,
  metricsTimeoutMs: 30_000,
} as const;
const options = { version: '1.0.0', logger: undefined, metricProducers: [] };

describe('Telemetry', () => {
  it('prevents startup if a variable that only the SDK reads is invalid', async () => {
    const invalid = {
      OTEL_BSP_SCHEDULE_DELAY: 'soon',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'zip',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/missing.pem',
    };
    Object.assign(process.env, invalid);
    const error: unknown = await Telemetry.start(config, options).catch((reason: unknown) => reason);
    for (const name of Object.keys(invalid)) Reflect.deleteProperty(process.env, name);
    expect(error).to.be.instanceOf(StartError);
    const [title, ...lines] = (error as StartError).message.split('\n');
    expect(title).to.equal('Invalid configuration:');
    expect(lines).to.have.lengthOf(3);
    expect(lines.join('\n'))
      .to.match(/OTEL_BSP_SCHEDULE_DELAY/)
      .and.match(/OTEL_EXPORTER_OTLP_COMPRESSION/);
    expect(lines.join('\n')).to.contain('Failed to read root certificate file');
    await (await Telemetry.start(config, options)).close();
  });

  it('sends the trace context on with the requests of fetch, until it is closed', async () => {
    const called = await ScriptedServer.start();
    called.script = [reply(200, {})];
    const telemetry = await Telemetry.start(config, options);
    const span = trace.getTracer('test').startSpan('request');
    const { traceId, spanId } = span.spanContext();
    const send = () => context.with(trace.setSpan(context.active(), span), () => fetch(called.baseUrl));
    await send();
    await fetch(called.baseUrl);
    await telemetry.close();
    await send();
    expect(called.received.map(({ headers }) => headers['traceparent'])).to.deep.equal([
      `00-${traceId}-${spanId}-01`,
      undefined,
      undefined,
    ]);
    await called.close();
  });
});
