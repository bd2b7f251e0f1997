import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';

/**
 * Copies the files of `src/` that are not compiled to `dist/`, and deletes from `dist/` what `src/` no longer contains.
 * Copies keep the times of their files, by which later steps see what has changed.
 *
 * @param root the folder of the package, with a slash at the end.
 * @param built matches the paths of files in `dist/` that come from elsewhere.
 */
export function mirrorSources(root, built) {
  const options = { recursive: true, preserveTimestamps: true, filter: (path) => !path.endsWith('.ts') };
  cpSync(`${root}src`, `${root}dist`, options);
  for (const path of readdirSync(`${root}dist`, { recursive: true })) {
    const sources = [path, path.replace(/(\.js|\.d\.ts)(\.map)?$/, '.ts')];
    const isBuilt = built.test(path) || path.endsWith('.tsbuildinfo');
    if (!isBuilt && !sources.some((source) => existsSync(`${root}src/${source}`)))
      rmSync(`${root}dist/${path}`, { recursive: true, force: true });
  }
}
