import type { Operation } from './contract.js';

type ServedPath = Pick<Operation, 'prefix' | 'path'>;

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

/** Whether the server has a path of its own, with the files of the API reference. */
export function isOwnPath(path: string): boolean {
  return (Object.values(ownPaths) as string[]).includes(path) || path.startsWith(`${ownPaths.docs}/`);
}

/** The paths of the server that the contract declares, without parameters: the contract takes precedence. */
export function replacedPathsOf(operations: readonly ServedPath[]): ReadonlySet<string> {
  const paths = operations.map(({ prefix, path }) => `${prefix}${path}`);
  return new Set(paths.filter(isOwnPath).filter((path) => !path.includes('{')));
}
