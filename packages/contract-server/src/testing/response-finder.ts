import { OpenAPIRouter } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { rangeOf } from '../contract/declared-responses.js';
import type { ContractDocument } from '../contract/document.js';
import { operationsOf, resolve } from '../contract/operations.js';
import { isOwnPath, replacedPathsOf } from '../contract/own-paths.js';
import { prefixOf } from '../contract/servers.js';
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
  private readonly routers: readonly OpenAPIRouter[];
  private readonly replacedPaths: ReadonlySet<string>;

  /** @param basePath the path prefix of the operations in the application. */
  constructor(
    private readonly contract: TestedContract,
    private readonly basePath: string,
  ) {
    const { document } = contract;
    this.replacedPaths = replacedPathsOf(document);
    const prefixes = [...new Set(operationsOf(document).map((entry) => prefixOf(document, entry)))];
    this.routers = prefixes.map((prefix) => {
      const apiRoot = (prefix === contract.basePath ? basePath : prefix) || '/';
      return new OpenAPIRouter({ definition: partBelow(document, prefix), apiRoot, ignoreTrailingSlashes: false });
    });
  }

  /**
   * Returns `undefined` for a response that belongs to no operation, and which the contract does not describe: outside
   * its path prefix, to OPTIONS, or an error of an unknown route if no shared `default` response declares content.
   */
  find(method: string, path: string, status: number): FoundResponse | Undeclared | undefined {
    // A path of the server itself, unless the contract declares it: also if a template such as `/{id}` matches it.
    if (isOwnPath(path) && !this.replacedPaths.has(path)) return undefined;
    const operation = this.match(method, path) ?? (method === 'HEAD' ? this.match('GET', path) : undefined);
    return operation === undefined ? this.findShared(method, path, status) : this.findOwn(operation, status);
  }

  private match(method: string, path: string) {
    const request = { method, path, headers: {} };
    const found = this.routers.map((router) => router.matchOperation(request)).find((each) => each !== undefined);
    return found as OpenAPIV3.OperationObject | undefined;
  }

  private findOwn(operation: OpenAPIV3.OperationObject, status: number): FoundResponse | Undeclared {
    const { operationId = '', deprecated } = operation;
    const { responses = {} } = operation as Partial<OpenAPIV3.OperationObject>;
    const { document, sharedDefault } = this.contract;
    const key = [String(status), rangeOf(status), 'default'].find((each) => each in responses) ?? '';
    const response = responses[key];
    const isDefault = key === 'default';
    const reason = response === undefined ? undeclaredReason(responses) : isDefault && defaultReason(responses, status);
    if (response === undefined || reason !== false)
      return { violation: `${operationId} does not declare the status ${String(status)}${String(reason)}` };
    const name = isDefault && sharedDefault !== undefined ? anyOperation : `${operationId} ${key}`;
    return { name, response: resolve(document, response), isDefault, isDeprecated: deprecated === true };
  }

  private findShared(method: string, path: string, status: number): FoundResponse | Undeclared | undefined {
    const { sharedDefault } = this.contract;
    if (!this.isBelowPrefix(path) || method === 'OPTIONS') return undefined;
    if (status < 400) return { violation: 'the contract has no such operation' };
    // The operations have no body for their errors; that of an unknown route has one.
    if (Object.keys(sharedDefault?.content ?? {}).length === 0) return undefined;
    return sharedDefault && { name: anyOperation, response: sharedDefault, isDefault: true, isDeprecated: false };
  }

  /** Whether a path belongs to the API. Without a path prefix, the server has other paths beside the operations. */
  private isBelowPrefix(path: string): boolean {
    return this.basePath === '' || path === this.basePath || path.startsWith(`${this.basePath}/`);
  }
}

function undeclaredReason(responses: OpenAPIV3.ResponsesObject): string {
  return `, but ${Object.keys(responses).join(', ')}`;
}

/** Why `default` does not declare a success: another response does. */
function defaultReason(responses: OpenAPIV3.ResponsesObject, status: number): string | false {
  return status < 400 && Object.keys(responses).length > 1 && ': default is for errors';
}

/** The operations of a document with a path prefix. */
function partBelow(document: ContractDocument, prefix: string): ContractDocument {
  const others = operationsOf(document).filter((entry) => prefixOf(document, entry) !== prefix);
  const paths = structuredClone(document.paths);
  for (const { path, method } of others) Reflect.deleteProperty(paths[path] ?? {}, method);
  return { ...document, paths };
}
