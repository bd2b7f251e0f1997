import { resolve, unescapeName } from '#contract-server/contract/json-pointer.js';
import { document } from './contract-requests.js';

/** The value at a JSON Pointer (RFC 6901) in the contract, through references; `undefined` if there is none. */
export function findPlace(pointer: string): unknown {
  const names = pointer.split('/').slice(1).map(unescapeName);
  return names.reduce<unknown>(
    (node, name) => resolved((node as Record<string, unknown> | undefined)?.[name]),
    document,
  );
}

function resolved(node: unknown): unknown {
  return typeof node === 'object' && node !== null ? resolve(document, node) : node;
}
