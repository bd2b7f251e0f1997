import type { Readiness } from '../../observability/readiness.js';
import { ApiError } from '../../openapi/api-error.js';
import type { Resources } from '../routes.js';

/** What tells balancers and orchestrators how the service is: whether it lives, and whether it takes requests. */
export function healthChecks(readiness: Readiness): Resources {
  return {
    '/healthz': { isRoutine: true, get: () => Promise.resolve({ status: 200, body: '{"status":"ok"}' }) },
    '/readyz': {
      isRoutine: true,
      get: async () => {
        if (await readiness.check()) return { status: 200, body: '{"status":"ready"}' };
        throw new ApiError('not_ready', 'The service is stopping, or its storage does not answer.', {
          headers: { 'Retry-After': '1' },
        });
      },
    },
  };
}
