import { isDeepStrictEqual } from 'node:util';
import { apiCompare, type Diff } from 'api-smart-diff';
import { type OpenAPI3, resolveRef } from 'openapi-typescript';
import { basePathOf } from '../openapi/servers.js';
import { type Change, compatibilityRules, type Effect, type Operation } from './compatibility-rules.js';

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
  const hasOtherPrefix = basePathOf(released) !== basePathOf(current);
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
  const { components, ...rest } = dereference(withoutVersion(contract)) as Contract;
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

function versionProblems(released: Contract, current: Contract, level: Level): string[] {
  const { version } = current.info;
  const [major = 0, minor = 0, patch = 0] = released.info.version.split('.').map(Number);
  const parts = version.split('.').map(Number);
  const prefix = basePathOf(current);
  if (prefix !== `/v${String(parts[0])}`) return [`The path prefix of version ${version} is ${prefix}.`];
  if ((parts[0] ?? 0) > major) return [];
  const least = { none: [major, minor, patch], patch: [major, minor, patch + 1], minor: [major, minor + 1, 0] }[level];
  const difference = parts.map((part, index) => part - (least[index] ?? 0)).find((each) => each !== 0) ?? 0;
  return difference >= 0 ? [] : [`info.version must be at least ${least.join('.')}, and is ${version}.`];
}

/** Replaces every reference by its target, and an `allOf` of one schema by that schema. No reference is circular. */
function dereference(document: object, node: unknown = document): unknown {
  if (Array.isArray(node)) return node.map((item) => dereference(document, item));
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node)
    return dereference(document, resolveRef(document as OpenAPI3, String(node.$ref), { silent: false }));
  const { allOf, ...rest } = node as { allOf?: unknown };
  const entries = Object.entries(Array.isArray(allOf) && allOf.length === 1 ? rest : node);
  const own = Object.fromEntries(entries.map(([name, value]) => [name, dereference(document, value)]));
  return entries.length < Object.keys(node).length
    ? { ...(dereference(document, (allOf as unknown[])[0]) as object), ...own }
    : own;
}
