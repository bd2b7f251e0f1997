import type { TestService } from '../servers/service.js';
import { findPlace } from './document.js';

/** The value of `Deprecation` (RFC 9745): Unix seconds. */
const deprecation = `@${String(Date.parse(String(findPlace('/paths/~1pets~1{petId}/get/x-deprecated-at'))) / 1000)}`;

/** The headers of every response of getPet, before and after its removal. */
export function announcement({ baseUrl }: TestService): Readonly<Record<string, string>> {
  const contract = new URL('/openapi.yaml', baseUrl).href;
  return {
    deprecation,
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    link: `<${baseUrl}/pets>; rel="successor-version", <${contract}>; rel="deprecation"; type="application/yaml"`,
  };
}
