import { type Deprecation, deprecationOf, isRemoved } from '../contract/deprecation.js';
import { basePathOf, type ContractDocument, requireOperation } from '../contract/document.js';
import type { OperationId } from '../contract/types.js';
import type { Clock } from '../domain/clock.js';

type Values = Readonly<Record<string, string | number | undefined>>;

interface Target {
  readonly template: string;
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
    const { template, deprecation } = this.target(id);
    if (isRemoved(deprecation, this.clock())) return undefined;
    const filled = template.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
    return `${this.baseUrl}${filled}${search === '' ? '' : `?${search}`}`;
  }

  /** The address of the contract itself, which lies outside the path prefix. */
  toContract(): string {
    return `${this.baseUrl.slice(0, -this.basePath.length)}${contractPath}`;
  }

  private target(id: OperationId): Target {
    const present = this.targets.get(id);
    if (present !== undefined) return present;
    const target = { template: requireOperation(this.contract, id).path, deprecation: deprecationOf(this.contract, id) };
    this.targets.set(id, target);
    return target;
  }
}
