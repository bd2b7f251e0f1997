import { pathToFileURL } from 'node:url';
import { rootPath } from '../root-path.js';

/**
 * A part of the service as it was built. Loaded when it is needed, so that the scripts compile before the service does.
 */
export async function builtFile<Exports>(path: string): Promise<Exports> {
  return (await import(pathToFileURL(rootPath(`dist/${path}`)).href)) as Exports;
}
