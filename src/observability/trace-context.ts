/** The trace of a request (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  /** The span of the caller. */
  readonly parentId: string;
}

const format = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Parses a `traceparent` header; `undefined` if it is invalid, which counts as absent (section 3.2). */
export function readTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', parentId = '', rest] = format.exec(header) ?? [];
  // Later versions may add fields.
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, parentId };
}
