import type { Clock } from '../lib/clock.js';
import { type Deprecation, deprecationOf, isRemoved } from '../openapi/deprecation.js';
import { basePathOf, type ContractDocument, requireOperation } from '../openapi/document.js';
import type { OperationId } from '../openapi/types.js';

type Values = Readonly<Record<string, string | number | undefined>>;

interface Target {
  /** The path template: text and names of parameters in turn. */
  readonly parts: readonly string[];
  readonly deprecation: Deprecation | undefined;
}

/** Where the contract itself is served, outside the path prefix. */
export const contractPath = '/openapi.yaml';

/** Absolute addresses of the service's own operations. The Host header of a request is never trusted for them. */
export class Links {
  private readonly targets = new Map<OperationId, Target>();
  private readonly basePath: string;
  private baseUrl = '';

  constructor(
    private readonly contract: ContractDocument,
    private readonly clock: Clock,
  ) {
    this.basePath = basePathOf(contract);
  }

  /** Sets what clients call the service, up to and including the path prefix. Known at the latest when it listens. */
  locate(baseUrl: string): void {
    this.baseUrl = baseUrl;
  }

  /** The address of an operation with these parameters; `undefined` once the operation is removed. */
  to(id: OperationId, path: Values = {}, query: Values = {}): string | undefined {
    const { parts, deprecation } = this.target(id);
    if (isRemoved(deprecation, this.clock())) return undefined;
    let address = this.baseUrl;
    parts.forEach((part, index) => (address += index % 2 === 0 ? part : encodeURIComponent(String(path[part]))));
    let mark = '?';
    for (const name in query) {
      if (query[name] === undefined) continue;
      address += `${mark}${name}=${encodeURIComponent(query[name])}`;
      mark = '&';
    }
    return address;
  }

  /** The address of the contract itself, which lies outside the path prefix. */
  toContract(): string {
    return `${this.baseUrl.slice(0, -this.basePath.length)}${contractPath}`;
  }

  private target(id: OperationId): Target {
    const present = this.targets.get(id);
    if (present !== undefined) return present;
    const { path } = requireOperation(this.contract, id);
    const target = { parts: path.split(/[{}]/), deprecation: deprecationOf(this.contract, id) };
    this.targets.set(id, target);
    return target;
  }
}
