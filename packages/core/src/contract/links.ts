import { isDotSegment } from '@contract-server/client/dot-segments.js';
import type { Clock } from '../lib/clock.js';
import { ApiError } from '../lib/errors.js';
import { pathText } from '../lib/header-text.js';
import { type Contract, isRemoved, type Operation } from './contract.js';

type Values = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

/** Builds absolute URLs of the service's operations. The `Host` header of a request is never trusted for them. */
export class Links<OperationId extends string = string> {
  private readonly operations: ReadonlyMap<string, Operation>;
  /** The path prefix of the contract. */
  private readonly prefix: string;

  /** The URL of the listener, up to and including the path prefix. Set when the server listens. @internal */
  ownBaseUrl = '';

  private readonly publicBaseUrl: string | undefined;

  /** @param publicBaseUrl the URL of the API for its clients. Default: that of the listener. */
  constructor(
    { prefix, byId }: Contract,
    private readonly clock: Clock,
    publicBaseUrl?: string,
  ) {
    this.publicBaseUrl = publicBaseUrl && pathText(publicBaseUrl);
    this.prefix = prefix;
    this.operations = byId;
  }

  /** The URL of the API, up to and including the path prefix. */
  get baseUrl(): string {
    return this.publicBaseUrl ?? this.ownBaseUrl;
  }

  /**
   * The URL of an operation with these parameters, percent-encoded; `undefined` once the operation is removed.
   *
   * @throws ApiError `invalid_request` for a path parameter that would lead to another path: '', `.` or `..`.
   * @throws TypeError for an unknown operation, or without one of its path parameters.
   */
  to(id: OperationId, path: Values = {}, query: Values = {}): string | undefined {
    const { path: template, prefix = '', deprecation } = this.operations.get(id) ?? {};
    if (template === undefined) throw new TypeError(`The contract has no operation ${id}.`);
    if (isRemoved(deprecation, this.clock())) return undefined;
    const url = template.split('/').map((segment) => segmentOf(id, segment, path));
    const pairs: string[] = [];
    for (const name in query)
      if (query[name] !== undefined)
        pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(query[name]))}`);
    return `${this.below(prefix)}${url.join('/')}${pairs.length === 0 ? '' : '?'}${pairs.join('&')}`;
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

/** A segment of a path template with its parameters. @throws as `to`. */
function segmentOf(id: string, template: string, values: Values): string {
  if (!template.includes('{')) return pathText(template);
  let last = ['', ''];
  const segment = template.replace(/\{([^{}]+)\}|[^{}]+/g, (text, name?: string) => {
    if (name === undefined) return pathText(text);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new TypeError(`The URL of ${id} needs the path parameter ${name}.`);
    if (value === '') throw invalidParameter(id, name, 'empty');
    last = [name, String(value)];
    return encodeURIComponent(String(value));
  });
  const [name = '', value = ''] = last;
  if (isDotSegment(segment)) throw invalidParameter(id, name, `\`${value}\``);
  return segment;
}

/** 400: the value is usually one that a client has sent. */
function invalidParameter(id: string, name: string, found: string): ApiError {
  const message = `The path parameter \`${name}\` of ${id} must not be ${found}: it would lead to another path.`;
  return new ApiError('invalid_request', message);
}
