/**
 * Locates a file of this package that is not compiled into the code, by its path in the package. The modules and the
 * bundle of the server are two folders below the root of the package.
 */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
