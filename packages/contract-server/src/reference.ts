import type { ReferencePart } from './service/definition.js';

/**
 * The API reference at `/docs`, and the contract at `/openapi.yaml` and, converted to JSON, at `/openapi.json`: its
 * file byte for byte, or one bundled document if it has several files, an overlay, `prefix` or `lenient`. They are
 * outside the path prefix of the API, and need no authentication.
 */
export function apiReference(): ReferencePart {
  // Loaded on demand, because commands do not need Express.
  return { create: async (contract, codes) => (await import('./http/docs/documents.js')).documents(contract, codes) };
}
