import type { MetricsPart } from './service/definition.js';

/**
 * Metrics in the format of Prometheus, served at `METRICS_HOST` and `METRICS_PORT`, if the port is set. Requires the
 * package `prom-client`.
 */
export function metrics(): MetricsPart {
  return {
    // Loaded on demand, because loading it delays the start.
    create: async (name, version) => new (await import('./observability/metrics.js')).Metrics(name, version),
  };
}
