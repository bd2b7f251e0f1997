import type { CompiledOperation, Match } from '../../openapi/compiled-router.js';
import type { Links } from '../links.js';

type Headers = Readonly<Record<string, string>>;

/**
 * What every answer of a deprecated operation carries: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` to the
 * successor (RFC 5829) and to the contract, which describes the deprecation.
 */
export class DeprecationHeaders {
  private readonly made = new Map<CompiledOperation, Headers>();

  constructor(private readonly links: Links) {}

  of(match: Match): Headers | undefined {
    if (match.kind !== 'operation' || match.operation.deprecation === undefined) return undefined;
    const present = this.made.get(match.operation);
    if (present !== undefined) return present;
    const { deprecatedAt, sunsetAt, successor } = match.operation.deprecation;
    const headers = {
      Deprecation: `@${String(deprecatedAt / 1000)}`,
      Sunset: new Date(sunsetAt).toUTCString(),
      Link: `<${String(this.links.to(successor))}>; rel="successor-version", <${this.links.toContract()}>; rel="deprecation"; type="application/yaml"`,
    };
    this.made.set(match.operation, headers);
    return headers;
  }
}
