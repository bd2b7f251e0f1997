import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../contract/contract.js';
import { type ContractLocation, contractUrlOf, readContract } from '../contract/load/load-contract.js';
import type { DeclaredResponse } from '../contract/responses.js';

/** A contract that tests check responses against. */
export interface TestedContract extends Contract {
  /** The URL of its file, which identifies it. */
  readonly url: string;
  /** The codes in its `x-error-codes`; `undefined` without any. */
  readonly ownErrorCodes: readonly string[] | undefined;
  /** The `default` response if every operation has the same one, which then describes the errors of any request. */
  readonly sharedDefault: DeclaredResponse | undefined;
}

const contracts = new Map<string, Promise<TestedContract>>();

/** Loads a contract once per process. @throws ContractError as a start of the service does. */
export function loadTestedContract(location: ContractLocation): Promise<TestedContract> {
  const { href: url } = contractUrlOf(location);
  const loading = contracts.get(url) ?? load(url);
  contracts.set(url, loading);
  return loading;
}

async function load(url: string): Promise<TestedContract> {
  const contract = await readContract({ contract: new URL(url) });
  const codes = Object.keys(contract.document['x-error-codes']);
  return {
    ...contract,
    url,
    ownErrorCodes: codes.length === 0 ? undefined : codes,
    sharedDefault: sharedDefaultOf(contract),
  };
}

function sharedDefaultOf({ operations }: Contract): DeclaredResponse | undefined {
  const defaults = operations.map(({ responses }) => responses.declared.get('default'));
  const [first] = defaults;
  return defaults.every((each) => isDeepStrictEqual(each, first)) ? first : undefined;
}
