import { basePathOf } from '@contract-server/core/contract/servers.js';
import type { ComparedDocument } from './compared-document.js';

/** The version part that a change requires to be higher. */
export type Level = 'none' | 'patch' | 'minor' | 'major';

/**
 * Whether breaking changes are allowed: if clients select the major version by the path prefix, `/v1` of version 1.2.3,
 * under another prefix; otherwise, with a higher major version, or a higher minor version of 0.x (SemVer, section 4).
 */
export function allowsBreakingChanges(released: ComparedDocument, current: ComparedDocument): boolean {
  if (hasMajorVersionPrefix(released)) return basePathOf(released) !== basePathOf(current);
  const [before, after] = [parseVersion(released), parseVersion(current)];
  if (before === undefined || after === undefined) return false;
  return after[0] > before[0] || (after[0] === 0 && before[0] === 0 && after[1] > before[1]);
}

/** Why the version does not match the changes, in whole sentences. */
export function versionProblems(released: ComparedDocument, current: ComparedDocument, level: Level): string[] {
  const { version } = current.info;
  const [before, after] = [parseVersion(released), parseVersion(current)];
  if (before === undefined || after === undefined) {
    const isSame = level !== 'none' && version === released.info.version;
    return isSame ? [`info.version must change, and is ${version}.`] : [];
  }
  const prefix = basePathOf(current);
  if (hasMajorVersionPrefix(released) && prefix !== `/v${String(after[0])}`)
    return [`The path prefix of version ${version} is ${prefix}.`];
  if (after[0] > before[0]) return [];
  const least = leastVersion(before, level);
  const difference = after.map((part, index) => part - (least[index] ?? 0)).find((each) => each !== 0) ?? 0;
  return difference >= 0 ? [] : [`info.version must be at least ${least.join('.')}, and is ${version}.`];
}

/** Below 1.0.0, a higher minor version may break clients (SemVer, section 4). */
function leastVersion([major, minor, patch]: Version, level: Level): Version {
  const next: Version = [major, minor + 1, 0];
  const breaking: Version = major === 0 ? next : [major + 1, 0, 0];
  return {
    none: [major, minor, patch] as const,
    patch: [major, minor, patch + 1] as const,
    minor: next,
    major: breaking,
  }[level];
}

type Version = readonly [major: number, minor: number, patch: number];

/** Whether the path prefix is that of the major version, such as `/v1`. */
function hasMajorVersionPrefix(document: ComparedDocument): boolean {
  const [major] = parseVersion(document) ?? [];
  return major !== undefined && basePathOf(document) === `/v${String(major)}`;
}

/** The parts of a version such as 1.2.3, 1.2 or 1.2.3-beta; `undefined` for others, such as dates. */
function parseVersion({ info: { version } }: ComparedDocument): Version | undefined {
  const [, major, minor = 0, patch = 0] = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-+].*)?$/.exec(version) ?? [];
  return major === undefined || /^\d+-/.test(version) ? undefined : [Number(major), Number(minor), Number(patch)];
}
