import type { OpenAPIV3 } from 'openapi-types';
import type { OperationEntry } from './operations.js';

interface Servers {
  readonly servers?: readonly OpenAPIV3.ServerObject[] | undefined;
}

/** A document, as far as its servers matter. */
type ServedDocument = Servers & Pick<OpenAPIV3.Document, 'paths'>;

/**
 * The path prefix of the operations, `/v1`: that of the first server entry that is a path or, without one, a URL.
 * Operations can have another one.
 */
export function basePathOf({ servers = [] }: Servers): string {
  const urls = servers.map(urlOf);
  const url = urls.find((each) => each.startsWith('/')) ?? urls.find(isAbsolute) ?? '';
  return new URL(url, 'http://localhost').pathname.replace(/\/$/, '');
}

/** The path prefix of an operation: that of its own servers, of those of its path, or of those of the root. */
export function prefixOf(
  document: ServedDocument,
  { path, operation }: Pick<OperationEntry, 'path' | 'operation'>,
): string {
  const { [path]: item } = document.paths;
  const own = [operation.servers, item?.servers].find((servers) => servers !== undefined && servers.length > 0);
  return basePathOf({ servers: own ?? document.servers });
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
