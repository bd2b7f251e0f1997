/** The paths of the server itself, outside the path prefix of the API. */
export const ownPaths = {
  /** Redirects to the API reference. */
  root: '/',
  docs: '/docs',
  contract: '/openapi.yaml',
  contractAsJson: '/openapi.json',
  liveness: '/healthz',
  readiness: '/readyz',
} as const;

/** Served on `METRICS_PORT` only, with the health checks. */
export const metricsPath = '/metrics';
