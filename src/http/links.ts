import type { Clock } from '../lib/clock.js';
import {
  basePathOf,
  type ContractDocument,
  type Deprecation,
  findDeprecation,
  isRemoved,
  requireOperation,
} from '../openapi/document.js';
import type { OperationId } from '../openapi/types.js';

type Values = Readonly<Record<string, string | number | undefined>>;

interface Target {
  /** The path template, split into text and parameter names in turn. */
  readonly parts: readonly string[];
  readonly deprecation: Deprecation | undefined;
}

/** The paths of the contract and of the API reference, outside the path prefix of the API. */
export const contractPath = '/openapi.yaml';
export const docsPath = '/docs';

/** Builds absolute URLs of the service's operations. The `Host` header of a request is never trusted for them. */
export class Links {
  private readonly targets = new Map<OperationId, Target>();
  private readonly basePath: string;

  /** @param baseUrl returns the URL of the API, up to and including the path prefix. */
  constructor(
    private readonly contract: ContractDocument,
    private readonly clock: Clock,
    private readonly baseUrl: () => string,
  ) {
    this.basePath = basePathOf(contract);
  }

  /** The URL of an operation with these parameters; `undefined` once the operation is removed. */
  to(id: OperationId, path: Values = {}, query: Values = {}): string | undefined {
    const { parts, deprecation } = this.target(id);
    if (isRemoved(deprecation, this.clock())) return undefined;
    let url = this.baseUrl();
    parts.forEach((part, index) => (url += index % 2 === 0 ? part : encodeURIComponent(String(path[part]))));
    let separator = '?';
    for (const name in query) {
      if (query[name] === undefined) continue;
      url += `${separator}${name}=${encodeURIComponent(query[name])}`;
      separator = '&';
    }
    return url;
  }

  /** The URL of the contract. */
  toContract(): string {
    return this.outsideBasePath(contractPath);
  }

  /** The URL of the API reference. */
  toDocs(): string {
    return this.outsideBasePath(docsPath);
  }

  private outsideBasePath(path: string): string {
    return `${this.baseUrl().slice(0, -this.basePath.length)}${path}`;
  }

  private target(id: OperationId): Target {
    const existing = this.targets.get(id);
    if (existing !== undefined) return existing;
    const { path } = requireOperation(this.contract, id);
    const target = { parts: path.split(/[{}]/), deprecation: findDeprecation(this.contract, id) };
    this.targets.set(id, target);
    return target;
  }
}
