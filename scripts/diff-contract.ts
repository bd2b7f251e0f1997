import { isDeepStrictEqual } from 'node:util';
import { apiCompare, type Diff } from 'api-smart-diff';
import { type Change, compatibilityRules, type Effect, type Operation } from './compatibility-rules.js';
import { dereference } from './dereference.js';

/** The properties of a contract that the comparison depends on. */
export interface Contract {
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: unknown };
}

export interface ClassifiedChange extends Pick<Change, 'at' | 'action' | 'before' | 'after'> {
  readonly effect: Effect;
}

export interface ContractDiff {
  readonly changes: readonly ClassifiedChange[];
  /** Why the contract must not be released, in whole sentences. Empty if it may be. */
  readonly problems: readonly string[];
}

type Level = 'none' | 'patch' | 'minor';
type Path = readonly (string | number)[];

/** The effect of each classification of api-smart-diff. */
const effects: Readonly<Record<Diff['type'], Effect>> = {
  breaking: 'breaking',
  'non-breaking': 'non-breaking',
  deprecated: 'non-breaking',
  annotation: 'annotation',
  // It has no rule for the change.
  unclassified: 'breaking',
};

/**
 * Compares a contract with the released one. A breaking change of a stable operation, or of what all operations share,
 * requires another path prefix; `beta` and `experimental` operations may change. The version must match the changes.
 *
 * @param today `YYYY-MM-DD`. An operation may be removed from its `x-sunset` on.
 */
export function diffContract(released: Contract, current: Contract, today: string): ContractDiff {
  const { diffs } = apiCompare(comparable(released), comparable(current));
  const changes = diffs.map((diff) => classify(diff, released, current, today));
  const hasOtherPrefix = pathPrefixOf(released) !== pathPrefixOf(current);
  const breaking = hasOtherPrefix ? [] : changes.filter(({ effect }) => effect === 'breaking');
  const breakingProblems = breaking.map(
    ({ at, action }) => `${action} ${at} breaks clients of ${released.info.version}.`,
  );
  const isEqual = isDeepStrictEqual(withoutVersion(released), withoutVersion(current));
  const level = changes.some(({ effect }) => effect !== 'annotation') ? 'minor' : isEqual ? 'none' : 'patch';
  return { changes, problems: [...breakingProblems, ...versionProblems(released, current, level)] };
}

/**
 * Prepares a contract for the comparison. Components are compared where they are used, because only there it is known
 * whether they are part of a request or of a response.
 */
function comparable(contract: Contract): object {
  const { components, ...rest } = dereference(withoutVersion(contract));
  return { ...rest, components: { securitySchemes: components.securitySchemes } };
}

function withoutVersion(contract: Contract): Contract {
  return { ...contract, info: { ...contract.info, version: '' } };
}

function classify(diff: Diff, released: Contract, current: Contract, today: string): ClassifiedChange {
  const { action, before, after } = diff as { action: Change['action']; before: unknown; after: unknown };
  const path = diff.path as Path;
  const at = path.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const change: Change = { at, action, before, after, operation: operationAt(current, path), today };
  const effect = effectByRules(change) ?? effects[diff.type];
  const stability = operationAt(released, path)?.['x-stability'] ?? 'stable';
  return {
    at,
    action,
    before,
    after,
    effect: effect === 'breaking' && stability !== 'stable' ? 'non-breaking' : effect,
  };
}

function effectByRules(change: Change): Effect | undefined {
  for (const rule of compatibilityRules) {
    const effect = rule.at.test(change.at) ? rule.classify(change) : undefined;
    if (effect !== undefined) return effect;
  }
  return undefined;
}

function operationAt(contract: Contract, [root, path, method]: Path): Operation | undefined {
  return root === 'paths' ? contract.paths[String(path)]?.[String(method)] : undefined;
}

function versionProblems(released: Contract, { info, ...current }: Contract, level: Level): string[] {
  const [major = 0, minor = 0, patch = 0] = parseVersion(released.info.version);
  const [currentMajor = 0, currentMinor = 0, currentPatch = 0] = parseVersion(info.version);
  const prefix = pathPrefixOf({ info, ...current });
  if (prefix !== `/v${String(currentMajor)}`) return [`The path prefix of version ${info.version} is ${prefix}.`];
  if (currentMajor > major) return [];
  const least = { none: [major, minor, patch], patch: [major, minor, patch + 1], minor: [major, minor + 1, 0] }[level];
  const isHighEnough = compareVersions([currentMajor, currentMinor, currentPatch], least) >= 0;
  return isHighEnough ? [] : [`info.version must be at least ${least.join('.')}, and is ${info.version}.`];
}

function parseVersion(version: string): number[] {
  return version.split('.').map(Number);
}

function compareVersions(first: readonly number[], second: readonly number[]): number {
  return first.map((number, index) => number - (second[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** The path prefix, `/v1`: the server entry that is a path. */
function pathPrefixOf({ servers }: Contract): string {
  return servers.find(({ url }) => url.startsWith('/'))?.url ?? '';
}
