import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The contract, which the service and every peer use. */
export function readContract() {
  return parse(readFileSync(new URL('../../../spec/petstore.yaml', import.meta.url), 'utf8'));
}
