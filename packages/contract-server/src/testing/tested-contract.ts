import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIV3 } from 'openapi-types';
import type { ContractDocument } from '../contract/document.js';
import { type ContractLocation, contractUrlOf, readContract } from '../contract/load/load-contract.js';
import { operationsOf, resolve } from '../contract/operations.js';
import { basePathOf } from '../contract/servers.js';

/** A contract that tests check responses against. */
export interface TestedContract {
  /** The URL of its file, which identifies it. */
  readonly url: string;
  readonly document: ContractDocument;
  /** The path prefix of every operation; '' without one. */
  readonly basePath: string;
  /** The codes in its `x-error-codes`; `undefined` without any. */
  readonly ownErrorCodes: readonly string[] | undefined;
  /** The `default` response if every operation has the same one, which then describes the errors of any request. */
  readonly sharedDefault: OpenAPIV3.ResponseObject | undefined;
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
  const { document } = await readContract({ contract: new URL(url) });
  const codes = Object.keys(document['x-error-codes']);
  return {
    url,
    document,
    basePath: basePathOf(document),
    ownErrorCodes: codes.length === 0 ? undefined : codes,
    sharedDefault: sharedDefaultOf(document),
  };
}

function sharedDefaultOf(document: ContractDocument): OpenAPIV3.ResponseObject | undefined {
  const defaults = operationsOf(document).map(({ operation: { responses } }) => {
    const { default: response } = responses as Partial<OpenAPIV3.ResponsesObject>;
    return response && resolve<OpenAPIV3.ResponseObject>(document, response);
  });
  const [first] = defaults;
  return defaults.every((each) => isDeepStrictEqual(each, first)) ? first : undefined;
}
