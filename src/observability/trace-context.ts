/** Which trace a request belongs to, in the terms of W3C Trace Context. */
export interface TraceContext {
  readonly traceId: string;
  /** The caller's own span. */
  readonly parentId: string;
}

const format = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/**
 * What a `traceparent` header says; `undefined` for one that is not valid, which is to be taken for none (W3C Trace
 * Context, section 3.2).
 */
export function readTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', parentId = '', rest] = format.exec(header) ?? [];
  // Versions after the first may add fields.
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, parentId };
}
