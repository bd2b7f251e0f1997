import { createToken } from 'contract-server/api-keys/token.js';

/** A well-formed API key that no service has issued, so that each look-up needs the store. */
export function unknownToken(prefix: string): string {
  return createToken(prefix);
}
