import { trace } from '@opentelemetry/api';
import type { CompiledOperation } from '../openapi/compiled-router.js';

/**
 * Names the active span by the operation and its route, as the semantic conventions for HTTP define it. Does nothing
 * unless OpenTelemetry runs (`node --import @opentelemetry/auto-instrumentations-node/register`), which cannot know the
 * routes of the contract.
 */
export function nameSpan(method: string, { operationId, path }: CompiledOperation, basePath: string): void {
  const span = trace.getActiveSpan();
  if (span === undefined) return;
  const route = `${basePath}${path}`;
  span.updateName(`${method} ${route}`).setAttributes({ 'http.route': route, 'openapi.operation_id': operationId });
}
