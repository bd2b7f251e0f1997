import { type Contract, type Operation, requireOperation } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { isOwnPath, replacedPathsOf } from '@contract-server/core/contract/own-paths.js';
import type { DeclaredResponse } from '@contract-server/core/contract/responses.js';
import { OpenAPIRouter } from 'openapi-backend';
import type { TestedContract } from './tested-contract.js';

/** The place of errors that the `default` response of every operation declares. */
export const anyOperation = 'default';

/** The response that the contract declares for a request and a status. */
export interface FoundResponse {
  /** Identifies it: `getPet 404`, `getPet 4XX`, `getPet default`, or `default` if all operations share it. */
  readonly name: string;
  readonly response: DeclaredResponse;
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
    this.replacedPaths = replacedPathsOf(contract.operations);
    const prefixes = [...new Set(contract.operations.map(({ prefix }) => prefix))];
    this.routers = prefixes.map((prefix) => {
      const apiRoot = (prefix === contract.prefix ? basePath : prefix) || '/';
      return new OpenAPIRouter({ definition: partBelow(contract, prefix), apiRoot, ignoreTrailingSlashes: false });
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
    return operation === undefined ? this.findShared(method, path, status) : this.findOwn(operation, method, status);
  }

  private match(method: string, path: string): Operation | undefined {
    const request = { method, path, headers: {} };
    const found = this.routers.map((router) => router.matchOperation(request)).find((each) => each !== undefined);
    return found && requireOperation(this.contract, found.operationId ?? '');
  }

  private findOwn(
    { id, responses, declaration }: Operation,
    method: string,
    status: number,
  ): FoundResponse | Undeclared | undefined {
    const { declared } = responses;
    const { sharedDefault } = this.contract;
    const declaredName = responses.nameOf(status) ?? '';
    const response = declared.get(declaredName);
    const isDefault = declaredName === 'default';
    if (response === undefined && isImplied(method, status)) return undefined;
    const reason = response === undefined ? undeclaredReason(declared) : isDefault && defaultReason(declared, status);
    if (response === undefined || reason !== false)
      return { violation: `${id} does not declare the status ${String(status)}${String(reason)}` };
    const name = isDefault && sharedDefault !== undefined ? anyOperation : `${id} ${declaredName}`;
    return { name, response, isDefault, isDeprecated: declaration.deprecated === true };
  }

  private findShared(method: string, path: string, status: number): FoundResponse | Undeclared | undefined {
    const { sharedDefault } = this.contract;
    if (!this.isBelowPrefix(path) || method === 'OPTIONS') return undefined;
    if (status < 400) return { violation: 'the contract has no such operation' };
    // The operations have no body for their errors; that of an unknown route has one.
    if ((sharedDefault?.content ?? []).length === 0) return undefined;
    return sharedDefault && { name: anyOperation, response: sharedDefault, isDefault: true, isDeprecated: false };
  }

  /** Whether a path belongs to the API. Without a path prefix, the server has other paths beside the operations. */
  private isBelowPrefix(path: string): boolean {
    return this.basePath === '' || path === this.basePath || path.startsWith(`${this.basePath}/`);
  }
}

type Declared = ReadonlyMap<string, DeclaredResponse>;

/** Whether a status is that of a conditional request or of a range, which a contract need not declare. */
function isImplied(method: string, status: number): boolean {
  return (method === 'GET' || method === 'HEAD') && [206, 304, 412, 416].includes(status);
}

function undeclaredReason(declared: Declared): string {
  return `, but ${[...declared.keys()].join(', ')}`;
}

/** Why `default` does not declare a success: another response does. */
function defaultReason(declared: Declared, status: number): string | false {
  return status < 400 && declared.size > 1 && ': default is for errors';
}

/** The document of a contract with the operations below a path prefix. */
function partBelow({ document, operations }: Contract, prefix: string): ContractDocument {
  const others = operations.filter((operation) => operation.prefix !== prefix);
  const paths = structuredClone(document.paths);
  for (const { path, method } of others) Reflect.deleteProperty(paths[path] ?? {}, method);
  return { ...document, paths };
}
