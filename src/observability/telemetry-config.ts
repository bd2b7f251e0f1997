import { requireOneOf } from '../lib/setting-parsers.js';

const protocols = ['http/protobuf', 'http/json'] as const;
const parentless = ['always_on', 'always_off', 'traceidratio'] as const;
const samplers = [...parentless, ...parentless.map((name) => `parentbased_${name}` as const)];

export type OtlpProtocol = (typeof protocols)[number];

/**
 * What is exported with OpenTelemetry. The SDK itself reads the other variables (`OTEL_*`) from the environment of the
 * process.
 */
export interface TelemetryConfig {
  /** `undefined` if traces are not exported. */
  readonly traces: OtlpProtocol | undefined;
  /** `undefined` if metrics are not exported. */
  readonly metrics: OtlpProtocol | undefined;
  readonly metricsIntervalMs: number;
  readonly metricsTimeoutMs: number;
}

/** Parses a variable; `undefined` if it is unset, empty or invalid, which it reports. */
type ReadVariable = <T>(name: `OTEL_${string}`, parse: (text: string) => T) => T | undefined;

/** `undefined` unless there is an endpoint to export to, and something to export. */
export function readTelemetryConfig(read: ReadVariable): TelemetryConfig | undefined {
  if (read('OTEL_SDK_DISABLED', parseBoolean) === true) return undefined;
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT', requireUrl);
  const protocol = read('OTEL_EXPORTER_OTLP_PROTOCOL', parseProtocol) ?? 'http/protobuf';
  const protocolOf = (signal: 'TRACES' | 'METRICS') => {
    const signalEndpoint = read(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, requireUrl);
    const signalProtocol = read(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, parseProtocol);
    const exporter = read(`OTEL_${signal}_EXPORTER`, (text) => requireOneOf(['otlp', 'none'], text));
    const isExported = (signalEndpoint ?? endpoint) !== undefined && exporter !== 'none';
    return isExported ? (signalProtocol ?? protocol) : undefined;
  };
  // The SDK reads these variables, but replaces invalid values by their defaults.
  read('OTEL_TRACES_SAMPLER', (text) => requireOneOf(samplers, text));
  read('OTEL_TRACES_SAMPLER_ARG', requireRatio);
  read('OTEL_RESOURCE_ATTRIBUTES', requireAttributes);
  const metricsIntervalMs = read('OTEL_METRIC_EXPORT_INTERVAL', parseMilliseconds) ?? 60_000;
  const timeoutMs = read('OTEL_METRIC_EXPORT_TIMEOUT', parseMilliseconds) ?? 30_000;
  const [traces, metrics] = [protocolOf('TRACES'), protocolOf('METRICS')];
  if (traces === undefined && metrics === undefined) return undefined;
  return { traces, metrics, metricsIntervalMs, metricsTimeoutMs: Math.min(timeoutMs, metricsIntervalMs) };
}

function parseBoolean(text: string): boolean {
  return requireOneOf(['true', 'false'], text.toLowerCase()) === 'true';
}

function parseProtocol(text: string): OtlpProtocol {
  return requireOneOf(protocols, text);
}

function parseMilliseconds(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new Error('must be a number of milliseconds from 1 to 999999999.');
  return Number(text);
}

function requireUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('must be a URL like http://collector.example:4318.');
  return text;
}

function requireRatio(text: string): void {
  if (!/^(0|1|[01]?\.[0-9]+)$/.test(text) || Number(text) > 1) throw new Error('must be a number from 0 to 1.');
}

function requireAttributes(text: string): void {
  decodeURIComponent(text);
  if (!text.split(',').every((attribute) => attribute.trim() === '' || /^[^=]+=[^=]*$/.test(attribute)))
    throw new Error('must be attributes, deployment.environment.name=staging, separated by commas.');
}
