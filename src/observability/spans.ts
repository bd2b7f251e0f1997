import { type Attributes, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { ApiError } from '../lib/errors.js';
import { type AsyncMethods, wrapMethods } from './wrap-methods.js';

/** The name of this instrumentation in traces and metrics. */
export const scopeName = 'petstore';

/**
 * Maximum difference between the times of spans and the system clock, in milliseconds. Beyond it, the times of spans are
 * corrected.
 */
const clockStepMs = 100;
let clockOffset = performance.timeOrigin;

/**
 * Converts a time of `performance.now()` to Unix milliseconds. Unlike those of `Date.now()`, the times of a span and its
 * children are exact to a microsecond.
 */
export function unixMs(time = performance.now()): number {
  const offset = Date.now() - performance.now();
  if (Math.abs(offset - clockOffset) > clockStepMs) clockOffset = offset;
  return time + clockOffset;
}

/**
 * Returns a store whose methods call those of `store`, each in a child span of the span of the request. A span covers
 * the call of one request: the database may serve the calls of several requests with one statement.
 *
 * @param system the database system; `undefined` for a store without one.
 */
export function traceStore<Store extends AsyncMethods<Store>>(
  label: string,
  store: Store,
  system: string | undefined,
): Store {
  const tracer = trace.getTracer(scopeName);
  return wrapMethods(store, (operation, method) => {
    const attributes: Attributes =
      system === undefined ? {} : { 'db.system.name': system, 'db.operation.name': operation };
    return (...args) => {
      const parent = context.active();
      if (trace.getSpan(parent)?.isRecording() !== true) return method(...args);
      const options = {
        kind: system === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT,
        attributes,
        startTime: unixMs(),
      };
      const span = tracer.startSpan(`${operation} ${label}`, options, parent);
      return context.with(trace.setSpan(parent, span), method, undefined, ...args).then(
        (result) => {
          span.end(unixMs());
          return result;
        },
        (error: unknown) => {
          span.setAttribute('error.type', errorTypeOf(error)).setStatus({ code: SpanStatusCode.ERROR });
          span.end(unixMs());
          throw error;
        },
      );
    };
  });
}

function errorTypeOf(error: unknown): string {
  if (error instanceof ApiError) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}
