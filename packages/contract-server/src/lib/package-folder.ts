/**
 * The folder of this package, from which its files are read: the compiled modules are both in `dist/` and, bundled, in
 * `dist/bundle/`.
 */
export const packageFolder = new URL('.', import.meta.resolve('contract-server/package.json'));
