/** Fails if the contract breaks clients of the last released one, or if its version does not match the changes. */
import { readdir, readFile } from 'node:fs/promises';
import type { ComparedDocument } from '@contract-server/diff/compared-document.js';
import { diffFiles } from '@contract-server/diff/diff-contract.js';

export interface ReleaseCheck {
  /** The last released version of the contract. */
  readonly released: string | undefined;
  /** Why the check fails, in whole sentences. */
  readonly problems: readonly string[];
}

if (process.argv[1] === import.meta.filename) {
  const today = new Date().toISOString().slice(0, '2026-01-01'.length);
  const { released, problems } = await checkRelease(new URL('../../', import.meta.url), today);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exitCode = 1;
  } else if (released === undefined) {
    console.log('No contract has been released, so there is none to break.');
  }
}

/**
 * Compares `spec/petstore.yaml` with the last released contract. Each version with a heading in the changelog is
 * released, and its contract is stored in `spec/released/<version>.yaml`. A release deprecates operations on its day.
 *
 * @param root the directory of the project.
 * @param today `YYYY-MM-DD`
 */
export async function checkRelease(root: URL, today: string): Promise<ReleaseCheck> {
  const changelog = await readFile(new URL('CHANGELOG.md', root), 'utf8');
  const headings = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\](?: - (\S+))?/gm)];
  const versions = headings.map(([, version = '']) => version);
  const stored = (await readdir(new URL('spec/released/', root)).catch(() => [])).map((file) =>
    file.replace(/\.yaml$/, ''),
  );
  const missing = versions.filter((version) => !stored.includes(version));
  const unknown = stored.filter((version) => !versions.includes(version));
  const problems = [
    ...missing.map(
      (version) => `CHANGELOG.md lists ${version}. Copy spec/petstore.yaml to spec/released/${version}.yaml.`,
    ),
    ...unknown.map((version) => `spec/released/${version}.yaml is kept, and CHANGELOG.md has no heading for it.`),
  ];
  const [released] = versions;
  if (released === undefined || !stored.includes(released)) return { released, problems };
  const file = `spec/released/${released}.yaml`;
  const diff = await diffFiles({ url: new URL(file, root) }, { url: new URL('spec/petstore.yaml', root) }, today);
  if (diff.released.info.version !== released) problems.push(`${file} is version ${diff.released.info.version}.`);
  const dates = headings.map(([, , date]) => date);
  for (const { path, method, day } of deprecationsOf(diff.released).filter(({ day }) => !dates.includes(day)))
    problems.push(`x-deprecated-at of ${method} ${path} is ${day}, and CHANGELOG.md lists no release of that day.`);
  return { released, problems: [...problems, ...diff.breakingProblems, ...diff.versionProblems] };
}

function deprecationsOf({ paths = {} }: ComparedDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { 'x-deprecated-at': day }]) =>
      day === undefined ? [] : [{ path, method, day }],
    ),
  );
}
