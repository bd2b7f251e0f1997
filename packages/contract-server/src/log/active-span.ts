import { createRequire } from 'node:module';
import type { Span } from '@opentelemetry/api';

/** Where the API of OpenTelemetry registers what runs in the process, in each of its versions 1. */
const registry = Symbol.for('opentelemetry.js.api.1');

let api: typeof import('@opentelemetry/api') | undefined;

/**
 * The active span, if OpenTelemetry runs (`node --import @opentelemetry/auto-instrumentations-node/register`). Its API
 * is loaded only then: the 59 files take a twentieth of the start.
 */
export function activeSpan(): Span | undefined {
  if (!(registry in globalThis)) return undefined;
  api ??= createRequire(import.meta.url)('@opentelemetry/api') as typeof import('@opentelemetry/api');
  return api.trace.getActiveSpan();
}
