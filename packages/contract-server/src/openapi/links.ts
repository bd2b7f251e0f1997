import type { Clock } from '../lib/clock.js';
import { type ContractDocument, findDeprecation, isRemoved, operationIdsOf, requireOperation } from './document.js';
import { basePathOf } from './servers.js';

type Values = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

/** Builds absolute URLs of the service's operations. The `Host` header of a request is never trusted for them. */
export class Links<OperationId extends string = string> {
  private readonly targets;
  private readonly basePath: string;

  /** The URL of the listener, up to and including the path prefix. Set when the server listens. @internal */
  ownBaseUrl = '';

  /** @param publicBaseUrl the URL of the API for its clients. Default: that of the listener. */
  constructor(
    contract: ContractDocument,
    private readonly clock: Clock,
    private readonly publicBaseUrl?: string,
  ) {
    this.basePath = basePathOf(contract);
    const targetOf = (id: string) =>
      [id, { ...requireOperation(contract, id), deprecation: findDeprecation(contract, id) }] as const;
    this.targets = new Map(operationIdsOf(contract).map(targetOf));
  }

  /** The URL of the API, up to and including the path prefix. */
  get baseUrl(): string {
    return this.publicBaseUrl ?? this.ownBaseUrl;
  }

  /**
   * The URL of an operation with these parameters; `undefined` once the operation is removed.
   *
   * @throws TypeError for an unknown operation, or without one of its path parameters.
   */
  to(id: OperationId, path: Values = {}, query: Values = {}): string | undefined {
    const { path: template, deprecation } = this.targets.get(id) ?? {};
    if (template === undefined) throw new TypeError(`The contract has no operation ${id}.`);
    if (isRemoved(deprecation, this.clock())) return undefined;
    const url = template.replace(/\{(.*?)\}/g, (_, name: string) => {
      const { [name]: value } = path;
      if (value === undefined) throw new TypeError(`The URL of ${id} needs the path parameter ${name}.`);
      return encodeURIComponent(String(value));
    });
    const pairs: string[] = [];
    for (const name in query)
      if (query[name] !== undefined) pairs.push(`${name}=${encodeURIComponent(String(query[name]))}`);
    return `${this.baseUrl}${url}${pairs.length === 0 ? '' : '?'}${pairs.join('&')}`;
  }

  /** The URL of the server, without the path prefix of the API. */
  root(): string {
    return this.baseUrl.slice(0, this.baseUrl.length - this.basePath.length);
  }
}
