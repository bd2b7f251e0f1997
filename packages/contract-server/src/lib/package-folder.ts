/** The folder of this package, from which its files are read. */
export const packageFolder = new URL('../../', import.meta.url);
