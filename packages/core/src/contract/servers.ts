import type { OpenAPIV3 } from 'openapi-types';
import type { OperationEntry } from './operations.js';

interface Servers {
  readonly servers?: readonly OpenAPIV3.ServerObject[] | undefined;
}

/** A document, as far as its servers matter. */
type ServedDocument = Servers & Pick<OpenAPIV3.Document, 'paths'>;

/**
 * The path prefix of the operations, `/v1`: that of the first server that is relative or, without one, a URL. The
 * contract is at the root, so `v1` and `./v1` are `/v1`. Operations can have another one.
 */
export function basePathOf({ servers = [] }: Servers): string {
  const server = findBaseServer(servers);
  return server === undefined ? '' : pathOf(urlOf(server));
}

/** The same servers, the one that has the path prefix first. */
export function baseServerFirst(servers: readonly OpenAPIV3.ServerObject[]): OpenAPIV3.ServerObject[] {
  const server = findBaseServer(servers);
  return [...(server === undefined ? [] : [server]), ...servers.filter((each) => each !== server)];
}

function findBaseServer(servers: readonly OpenAPIV3.ServerObject[]): OpenAPIV3.ServerObject | undefined {
  const relative = servers.find((server) => urlOf(server) !== '' && isRelative(urlOf(server)));
  return relative ?? servers.find((server) => isAbsolute(urlOf(server)));
}

/** The path prefixes of relative servers, and of the values of their variables, that are not served. */
export function unservedPrefixesOf({ servers = [] }: Servers): string[] {
  const relative = servers.filter((server) => isRelative(urlOf(server)));
  const prefixes = new Set(relative.flatMap(urlsOf).map(pathOf));
  prefixes.delete(basePathOf({ servers }));
  return [...prefixes];
}

/** The URLs of a server, with the default values of its variables, and with each other value of one of them. */
function urlsOf({ url, variables = {} }: OpenAPIV3.ServerObject): string[] {
  const others = Object.entries(variables).flatMap(([name, variable]) =>
    (variable.enum ?? []).map((value) => ({ ...variables, [name]: { ...variable, default: value } })),
  );
  return [variables, ...others].map((each) => urlOf({ url, variables: each }));
}

function pathOf(url: string): string {
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

function isRelative(url: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(url);
}

function isAbsolute(url: string): boolean {
  return /^https?:/.test(url);
}
