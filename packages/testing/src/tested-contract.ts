import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '@contract-server/core/contract/contract.js';
import type { DeclaredResponse } from '@contract-server/core/contract/responses.js';
import {
  type ContractLocation,
  type ContractPlace,
  contractPlaceOf,
  type FileLocation,
  readContract,
} from '@contract-server/core/load/load-contract.js';

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

/** The contract of tests. */
export interface TestedContractOptions {
  /** The OpenAPI document: a URL, a path relative to the working directory, or the document itself. */
  readonly contract: ContractLocation;
  /** The overlay of the service: a URL, or a path relative to the working directory. */
  readonly overlay?: FileLocation | undefined;
  /** Whether the service accepts what is invalid but has an evident meaning. */
  readonly lenient?: boolean | undefined;
}

/** Loads a contract once per process. @throws ContractError as a start of the service does. */
export function loadTestedContract({ contract, overlay, lenient }: TestedContractOptions): Promise<TestedContract> {
  const place = { ...contractPlaceOf(contract, overlay), lenient };
  const key = `${place.contract.href} ${String(place.overlay ?? '')} ${String(lenient ?? false)}`;
  const loading = contracts.get(key) ?? load(place);
  contracts.set(key, loading);
  return loading;
}

async function load(place: ContractPlace): Promise<TestedContract> {
  const url = place.contract.href;
  const contract = await readContract(place);
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
