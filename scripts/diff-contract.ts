import { isDeepStrictEqual } from 'node:util';
import { apiCompare, type Diff } from 'api-smart-diff';
import { changeRules } from './compatibility-rules.js';
import type { Change, Contract, Effect, Operation } from './contract-change.js';
import { withoutReferences } from './dereference.js';

export interface JudgedChange extends Pick<Change, 'at' | 'action' | 'before' | 'after'> {
  readonly effect: Effect;
}

export interface Verdict {
  /** Each change with what it does to the clients of the released contract. */
  readonly changes: readonly JudgedChange[];
  /** Why the contract must not be released like this, in whole sentences. Empty if it may. */
  readonly problems: readonly string[];
}

type Level = 'none' | 'patch' | 'minor';
type Path = readonly (string | number)[];

/** What api-smart-diff says of a change, in our words. */
const effects: Readonly<Record<Diff['type'], Effect>> = {
  breaking: 'breaking',
  'non-breaking': 'addition',
  deprecated: 'addition',
  annotation: 'prose',
  // It has no rule for it, and neither have we.
  unclassified: 'breaking',
};

/**
 * Judges a contract by the last one that was released. What breaks clients of a stable operation, or what holds for all
 * operations, comes only under another path prefix; operations that are `beta` or `experimental` may change. The
 * version says the most that has changed.
 *
 * @param today `YYYY-MM-DD`; an operation may go once the removal that was announced for it is due.
 */
export function judgeContract(released: Contract, current: Contract, today: string): Verdict {
  const { diffs } = apiCompare(comparable(released), comparable(current));
  const changes = diffs.map((diff) => judged(diff, released, current, today));
  const isElsewhere = prefixOf(released) !== prefixOf(current);
  const broken = isElsewhere ? [] : changes.filter(({ effect }) => effect === 'breaking');
  const breaches = broken.map(({ at, action }) => `${action} ${at} breaks clients of ${released.info.version}.`);
  const isSame = isDeepStrictEqual(withoutVersion(released), withoutVersion(current));
  const level = changes.some(({ effect }) => effect !== 'prose') ? 'minor' : isSame ? 'none' : 'patch';
  return { changes, problems: [...breaches, ...versionProblems(released, current, level)] };
}

/**
 * What is compared: components only where they are used, because only there it is known whether they are sent or
 * received; the answers that belong to no operation as those of one of their own, so that they are judged like all
 * others.
 */
function comparable(contract: Contract): object {
  const { components, 'x-service-responses': responses, ...rest } = withoutReferences(withoutVersion(contract));
  const paths = { ...rest.paths, 'x-service-responses': { get: { responses } } };
  return { ...rest, paths, components: { securitySchemes: components.securitySchemes } };
}

/** The version says what has changed, and is no change itself. */
function withoutVersion(contract: Contract): Contract {
  return { ...contract, info: { ...contract.info, version: '' } };
}

function judged(diff: Diff, released: Contract, current: Contract, today: string): JudgedChange {
  const { action, before, after } = diff as { action: Change['action']; before: unknown; after: unknown };
  const path = diff.path as Path;
  const at = path.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const change: Change = { at, action, before, after, operation: operationAt(current, path), today };
  const effect = effectOf(change) ?? effects[diff.type];
  const stability = operationAt(released, path)?.['x-stability'] ?? 'stable';
  return { at, action, before, after, effect: effect === 'breaking' && stability !== 'stable' ? 'addition' : effect };
}

function effectOf(change: Change): Effect | undefined {
  for (const { at, judge } of changeRules) {
    const effect = at.test(change.at) ? judge(change) : undefined;
    if (effect !== undefined) return effect;
  }
  return undefined;
}

function operationAt(contract: Contract, [root, path, method]: Path): Operation | undefined {
  return root === 'paths' ? contract.paths[String(path)]?.[String(method)] : undefined;
}

function versionProblems(released: Contract, { info, ...current }: Contract, level: Level): string[] {
  const [major = 0, minor = 0, patch = 0] = numbersOf(released.info.version);
  const [currentMajor = 0, currentMinor = 0, currentPatch = 0] = numbersOf(info.version);
  const prefix = prefixOf({ info, ...current });
  if (prefix !== `/v${String(currentMajor)}`) return [`The path prefix of version ${info.version} is ${prefix}.`];
  if (currentMajor > major) return [];
  const least = { none: [major, minor, patch], patch: [major, minor, patch + 1], minor: [major, minor + 1, 0] }[level];
  const isEnough = order([currentMajor, currentMinor, currentPatch], least) >= 0;
  return isEnough ? [] : [`info.version must be at least ${least.join('.')}, and is ${info.version}.`];
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number);
}

function order(first: readonly number[], second: readonly number[]): number {
  return first.map((number, index) => number - (second[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** `/v1`: the server entry that is relative to the document. */
function prefixOf({ servers }: Contract): string {
  return servers.find(({ url }) => url.startsWith('/'))?.url ?? '';
}
