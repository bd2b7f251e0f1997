import { OpenAPIRouter } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { resolve } from '../openapi/operations.js';
import { ownPaths } from '../openapi/own-paths.js';
import type { TestedContract } from './tested-contract.js';

/** The place of errors that the `default` response of every operation declares. */
export const anyOperation = 'default';

/** The response that the contract declares for a request and a status. */
export interface FoundResponse {
  /** Identifies it: `getPet 404`, `getPet 4XX`, `getPet default`, or `default` if all operations share it. */
  readonly name: string;
  readonly response: OpenAPIV3.ResponseObject;
  readonly isDefault: boolean;
  readonly isDeprecated: boolean;
}

/** A sentence that says why a contract does not allow a response. */
interface Undeclared {
  readonly violation: string;
}

/**
 * Finds what a contract declares, with the router of openapi-backend, so that the compiled router is tested. A response
 * to HEAD is that of GET.
 */
export class ResponseFinder {
  private readonly router: OpenAPIRouter;

  /** @param basePath the path prefix of the operations in the application. */
  constructor(
    private readonly contract: TestedContract,
    private readonly basePath: string,
  ) {
    const definition = contract.document;
    this.router = new OpenAPIRouter({ definition, apiRoot: basePath || '/', ignoreTrailingSlashes: false });
  }

  /**
   * Returns `undefined` for a response that belongs to no operation, and which the contract does not describe: outside
   * its path prefix, to OPTIONS, or an error of an unknown route if there is no shared `default` response.
   */
  find(method: string, path: string, status: number): FoundResponse | Undeclared | undefined {
    const operation = this.match(method, path) ?? (method === 'HEAD' ? this.match('GET', path) : undefined);
    return operation === undefined ? this.findShared(method, path, status) : this.findOwn(operation, status);
  }

  private match(method: string, path: string) {
    return this.router.matchOperation({ method, path, headers: {} }) as OpenAPIV3.OperationObject | undefined;
  }

  private findOwn(operation: OpenAPIV3.OperationObject, status: number): FoundResponse | Undeclared {
    const { operationId = '', deprecated: isDeprecated = false } = operation;
    const { responses = {} } = operation as Partial<OpenAPIV3.OperationObject>;
    const { document, sharedDefault } = this.contract;
    const range = `${String(status).charAt(0)}XX`;
    const key = [String(status), range, 'default'].find((each) => each in responses);
    const statuses = Object.keys(responses).join(', ');
    if (key === undefined || responses[key] === undefined)
      return { violation: `${operationId} does not declare the status ${String(status)}, but ${statuses}` };
    if (key === 'default' && status < 400)
      return { violation: `${operationId} does not declare the status ${String(status)}: default is for errors` };
    const isDefault = key === 'default';
    const name = isDefault && sharedDefault !== undefined ? anyOperation : `${operationId} ${key}`;
    return { name, response: resolve(document, responses[key]), isDefault, isDeprecated };
  }

  private findShared(method: string, path: string, status: number): FoundResponse | Undeclared | undefined {
    const { sharedDefault } = this.contract;
    if (!this.isBelowPrefix(path) || method === 'OPTIONS') return undefined;
    if (status < 400) return { violation: 'the contract has no such operation' };
    return sharedDefault && { name: anyOperation, response: sharedDefault, isDefault: true, isDeprecated: false };
  }

  /** Whether a path belongs to the API. Without a path prefix, the server has other paths beside the operations. */
  private isBelowPrefix(path: string): boolean {
    if (this.basePath === '') return !isOwnPath(path);
    return path === this.basePath || path.startsWith(`${this.basePath}/`);
  }
}

function isOwnPath(path: string): boolean {
  return (Object.values(ownPaths) as string[]).includes(path) || path.startsWith(`${ownPaths.docs}/`);
}
