import type { ReferencePart } from './service/definition.js';

/**
 * The API reference at `/docs`, the contract at `/openapi.yaml`, byte for byte, and at `/openapi.json` for tools: all
 * outside the path prefix of the API, without authentication.
 */
export function apiReference(): ReferencePart {
  // Loaded on demand: commands do not need Express.
  return { create: async (contract, codes) => (await import('./http/docs/documents.js')).documents(contract, codes) };
}
