import type { MetricsPart } from './service/definition.js';

/**
 * Metrics in the format of Prometheus, on an address of their own if `METRICS_PORT` is set. It requires the package
 * prom-client.
 */
export function metrics(): MetricsPart {
  return {
    // Loaded on demand, because loading it delays the start.
    create: async (name, version) => new (await import('./observability/metrics.js')).Metrics(name, version),
  };
}
