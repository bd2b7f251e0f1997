import type { TestService } from '../servers/service.js';

/** The headers of every response of getPet, before and after its removal. */
export function announcement({ baseUrl }: TestService): Readonly<Record<string, string>> {
  const contract = new URL('/openapi.yaml', baseUrl).href;
  return {
    deprecation: '@1795132800',
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    link: `<${baseUrl}/pets>; rel="successor-version", <${contract}>; rel="deprecation"; type="application/yaml"`,
  };
}
