import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Contract } from './contract-change.js';
import { judgeContract } from './diff-contract.js';

export interface ReleaseVerdict {
  /** The version of the contract that was released last, if one was. */
  readonly released: string | undefined;
  /** Why the check fails, in whole sentences. */
  readonly problems: readonly string[];
}

/**
 * Judges `spec/petstore.yaml` by the contract that was released last. Released is what the changelog gives a heading of
 * its own; each such contract is kept as `spec/released/<version>.yaml`.
 *
 * @param root the directory of the project.
 * @param today `YYYY-MM-DD`
 */
export async function judgeRelease(root: URL, today: string): Promise<ReleaseVerdict> {
  const changelog = await readFile(new URL('CHANGELOG.md', root), 'utf8');
  const versions = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, version = '']) => version);
  const kept = (await readdir(new URL('spec/released/', root)).catch(() => [])).map((file) =>
    file.replace(/\.yaml$/, ''),
  );
  const problems = [
    ...versions.filter((version) => !kept.includes(version)).map(notKept),
    ...kept.filter((version) => !versions.includes(version)).map(notAnnounced),
  ];
  const [released] = versions;
  if (released === undefined || !kept.includes(released)) return { released, problems };
  const [before, current] = await Promise.all([read(`spec/released/${released}.yaml`), read('spec/petstore.yaml')]);
  if (before.info.version !== released)
    problems.push(`spec/released/${released}.yaml is version ${before.info.version}.`);
  return { released, problems: [...problems, ...judgeContract(before, current, today).problems] };

  async function read(path: string): Promise<Contract> {
    return parse(await readFile(new URL(path, root), 'utf8')) as Contract;
  }
}

function notKept(version: string): string {
  return `The changelog says that ${version} is released: cp spec/petstore.yaml spec/released/${version}.yaml`;
}

function notAnnounced(version: string): string {
  return `spec/released/${version}.yaml is kept, and the changelog has no heading for it.`;
}
