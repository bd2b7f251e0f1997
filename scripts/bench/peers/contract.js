import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The contract that the service is made of; every peer is made of the same one. */
export function readContract() {
  return parse(readFileSync(new URL('../../../spec/petstore.yaml', import.meta.url), 'utf8'));
}
