import type { ContractDocument } from '@contract-server/core/contract/document.js';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A contract with the value at a path replaced or removed. */
export function changedContract(
  path: readonly string[],
  value: Json | undefined,
  contract: ContractDocument,
): ContractDocument {
  const copy = structuredClone(contract);
  const parent = path
    .slice(0, -1)
    .reduce((node, name) => node[name] as typeof node, copy as unknown as Record<string, unknown>);
  const name = path.at(-1) ?? '';
  if (value === undefined) Reflect.deleteProperty(parent, name);
  else parent[name] = value;
  return copy;
}
