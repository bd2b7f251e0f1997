import { requireNoDotSegments } from '../client/dot-segments.js';
import type { Clock } from '../lib/clock.js';
import { type Contract, isRemoved, type Operation } from './contract.js';

type Values = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

/** Builds absolute URLs of the service's operations. The `Host` header of a request is never trusted for them. */
export class Links<OperationId extends string = string> {
  private readonly operations: ReadonlyMap<string, Operation>;
  /** The path prefix of the contract. */
  private readonly prefix: string;

  /** The URL of the listener, up to and including the path prefix. Set when the server listens. @internal */
  ownBaseUrl = '';

  /** @param publicBaseUrl the URL of the API for its clients. Default: that of the listener. */
  constructor(
    { prefix, byId }: Contract,
    private readonly clock: Clock,
    private readonly publicBaseUrl?: string,
  ) {
    this.prefix = prefix;
    this.operations = byId;
  }

  /** The URL of the API, up to and including the path prefix. */
  get baseUrl(): string {
    return this.publicBaseUrl ?? this.ownBaseUrl;
  }

  /**
   * The URL of an operation with these parameters; `undefined` once the operation is removed.
   *
   * @throws TypeError for an unknown operation, without one of its path parameters, or for `.` and `..` as one.
   */
  to(id: OperationId, path: Values = {}, query: Values = {}): string | undefined {
    const { path: template, prefix = '', deprecation } = this.operations.get(id) ?? {};
    if (template === undefined) throw new TypeError(`The contract has no operation ${id}.`);
    if (isRemoved(deprecation, this.clock())) return undefined;
    const url = template.replace(/\{(.*?)\}/g, (_, name: string) => {
      const value = Object.hasOwn(path, name) ? path[name] : undefined;
      if (value === undefined) throw new TypeError(`The URL of ${id} needs the path parameter ${name}.`);
      return encodeURIComponent(String(value));
    });
    requireNoDotSegments(url);
    const pairs: string[] = [];
    for (const name in query)
      if (query[name] !== undefined) pairs.push(`${name}=${encodeURIComponent(String(query[name]))}`);
    return `${this.below(prefix)}${url}${pairs.length === 0 ? '' : '?'}${pairs.join('&')}`;
  }

  /** The URL below which operations with a path prefix are. A router can have another URL than the contract. */
  private below(prefix: string): string {
    if (prefix === this.prefix) return this.baseUrl;
    return `${this.baseUrl.endsWith(this.prefix) ? this.root() : this.baseUrl}${prefix}`;
  }

  /** The URL of the server, without the path prefix of the API. */
  root(): string {
    return this.baseUrl.slice(0, this.baseUrl.length - this.prefix.length);
  }
}
