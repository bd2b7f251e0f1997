import type { OpenAPIV3 } from 'openapi-types';

interface Servers {
  readonly servers?: readonly OpenAPIV3.ServerObject[] | undefined;
}

/** The path prefix of every operation, `/v1`: that of the first server entry that is a path or, without one, a URL. */
export function basePathOf({ servers = [] }: Servers): string {
  const urls = servers.map(urlOf);
  const url = urls.find((each) => each.startsWith('/')) ?? urls.find(isAbsolute) ?? '';
  return new URL(url, 'http://localhost').pathname.replace(/\/$/, '');
}

/** The URL of the first absolute server; '' without one. */
export function publicUrlOf({ servers = [] }: Servers): string {
  return servers.map(urlOf).find(isAbsolute) ?? '';
}

/** The URL of a server, with the default values of its variables. */
export function urlOf({ url, variables = {} }: OpenAPIV3.ServerObject): string {
  return url.replace(/\{([^{}]+)\}/g, (_, name: string) => variables[name]?.default ?? '');
}

function isAbsolute(url: string): boolean {
  return /^https?:/.test(url);
}
