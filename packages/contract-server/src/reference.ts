import type { ReferencePart } from './service/definition.js';

/**
 * The API reference at `/docs`, and the contract at `/openapi.yaml`, byte for byte, and at `/openapi.json` for tools.
 * They are outside the path prefix of the API, and need no authentication.
 */
export function apiReference(): ReferencePart {
  // Loaded on demand, because commands do not need Express.
  return { create: async (contract, codes) => (await import('./http/docs/documents.js')).documents(contract, codes) };
}
