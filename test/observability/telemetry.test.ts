import { context, trace } from '@opentelemetry/api';
import { expect } from 'chai';
import { Telemetry } from '#src/observability/telemetry.js';
import { reply, ScriptedServer } from '../support/servers/scripted-server.js';

describe('Telemetry', () => {
  it('sends the trace context on with the requests of fetch, until it is closed', async () => {
    const called = await ScriptedServer.start();
    called.script = [reply(200, {})];
    const config = {
      traces: 'http/json',
      metrics: undefined,
      metricsIntervalMs: 60_000,
      metricsTimeoutMs: 30_000,
    } as const;
    const telemetry = await Telemetry.start(config, { version: '1.0.0', logger: undefined, metricProducers: [] });
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
