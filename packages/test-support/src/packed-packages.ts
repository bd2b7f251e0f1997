/** The names of the packed packages of the library, as `npm pack` writes them. */
export function packedNames(version = '1.0.0'): readonly string[] {
  return ['', '-client', '-core', '-diff', '-testing'].map((name) => `contract-server${name}-${version}.tgz`);
}
