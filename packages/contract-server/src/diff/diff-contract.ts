import { isDeepStrictEqual } from 'node:util';
import { apiCompare, type Diff } from 'api-smart-diff';
import { addressPlanOf, banRuleOf, type ContractDocument, plansOf } from '../openapi/document.js';
import { pointerTo } from '../openapi/json-pointer.js';
import { loadDocument } from '../openapi/load-document.js';
import { type Change, type Contract, compatibilityRules, type Effect, type Operation } from './compatibility-rules.js';
import { type Part, type Path, splitContracts } from './contract-parts.js';
import { type Description, describeChange } from './describe-change.js';
import { allowsBreakingChanges, type Level, versionProblems } from './version-rules.js';

export interface ClassifiedChange extends Pick<Change, 'at' | 'action' | 'before' | 'after'>, Description {
  readonly effect: Effect;
}

/** What has changed, and why the contract must not be released, in whole sentences. */
export interface ContractDiff {
  readonly changes: readonly ClassifiedChange[];
  /** One for each change that breaks clients and is not allowed. */
  readonly breakingProblems: readonly string[];
  readonly versionProblems: readonly string[];
}

/** The effect of each classification of api-smart-diff. */
const effects: Readonly<Record<Diff['type'], Effect>> = {
  breaking: 'breaking',
  'non-breaking': 'non-breaking',
  deprecated: 'non-breaking',
  annotation: 'annotation',
  // It has no rule for the change.
  unclassified: 'breaking',
};

/** Both contracts, and what has changed. */
export interface FileDiff extends ContractDiff {
  readonly released: Contract;
  readonly current: Contract;
}

/** Reads two contracts, and compares them as `diffContract` does. @throws ContractError if one is invalid. */
export async function diffFiles(releasedUrl: URL, currentUrl: URL, today: string): Promise<FileDiff> {
  const read = async (url: URL) => (await loadDocument(url)).document as unknown as Contract;
  const [released, current] = [await read(releasedUrl), await read(currentUrl)];
  return { released, current, ...diffContract(released, current, today) };
}

/**
 * Compares a contract with the released one. A breaking change of a stable operation, or of what all operations share,
 * requires another path prefix or major version; `beta` and `experimental` operations may change. The version must
 * match the changes. A schema that several operations use is reported at its first use.
 *
 * @param today `YYYY-MM-DD`. An operation may be removed from its `x-sunset` on.
 */
export function diffContract(released: Contract, current: Contract, today: string): ContractDiff {
  const contextOf = (path: Path) => {
    const [root, , , section, , part] = path;
    return [stabilityAt(released, path), root, section, part === 'headers'].join();
  };
  const parts = splitContracts(comparable(released), comparable(current), contextOf);
  const changes = parts.flatMap(compare).map((found) => classify(found, released, current, today));
  const { version } = released.info;
  const breaking = allowsBreakingChanges(released, current) ? [] : changes.filter((each) => each.effect === 'breaking');
  const breakingProblems = breaking.map(({ operation, place, change }) => {
    const where = [operation, place].filter(Boolean).join(', ');
    return `${where && `${where}: `}${change}. This breaks clients of ${version}.`;
  });
  const isEqual = isDeepStrictEqual(withoutVersion(released), withoutVersion(current));
  const level: Level = changes.some(({ effect }) => effect !== 'annotation') ? 'minor' : isEqual ? 'none' : 'patch';
  return { changes, breakingProblems, versionProblems: versionProblems(released, current, level) };
}

/** A contract without plans has an unlimited one, so that the first plan is a limit that clients did not have. */
function comparable(contract: Contract): Contract {
  const document = contract as unknown as ContractDocument;
  const defaults = {
    'x-rate-limit-plans': plansOf(document),
    'x-rate-limit-address-plan': addressPlanOf(document),
    'x-rate-limit-ban': banRuleOf(document),
  };
  return { ...defaults, ...withoutVersion(contract) };
}

function withoutVersion(contract: Contract): Contract {
  return { ...contract, info: { ...contract.info, version: '' } };
}

/** A change that api-smart-diff has found, with the names that lead to it in the contract. */
interface Found {
  readonly diff: Diff;
  readonly path: Path;
}

function compare({ path, before, after }: Part): Found[] {
  if (isDeepStrictEqual(before, after)) return [];
  // A schema is compared in a document that contains nothing else, because its use determines the effect of a change.
  const schema = path.indexOf('schema', 3);
  const place = schema === -1 ? path : path.slice(0, schema + 1);
  const { diffs } = apiCompare(documentWith(before, place), documentWith(after, place));
  return diffs.map((diff) => ({ diff, path: [...path, ...diff.path.slice(place.length)] }));
}

function documentWith(part: unknown, place: Path): object {
  const root = place.reduceRight((node, name) => (typeof name === 'number' ? [node] : { [name]: node }), part);
  return { openapi: '3.0.4', ...(root as object) };
}

function classify({ diff, path }: Found, released: Contract, current: Contract, today: string): ClassifiedChange {
  const { action, before, after } = diff as { action: Change['action']; before: unknown; after: unknown };
  const at = pointerTo(path).slice('#/'.length);
  const change: Change = { at, action, before, after, operation: operationAt(current, path), today };
  const effect = effectByRules(change) ?? effects[diff.type];
  const isAllowed = effect === 'breaking' && stabilityAt(released, path) !== 'stable';
  const description = describeChange({ path, action, before, after }, released, current);
  return { at, action, before, after, effect: isAllowed ? 'non-breaking' : effect, ...description };
}

function effectByRules(change: Change): Effect | undefined {
  for (const rule of compatibilityRules) {
    const effect = rule.at.test(change.at) ? rule.classify(change) : undefined;
    if (effect !== undefined) return effect;
  }
  return undefined;
}

function stabilityAt(contract: Contract, path: Path): string {
  return operationAt(contract, path)?.['x-stability'] ?? 'stable';
}

function operationAt({ paths }: Contract, [root, path, method]: Path): Operation | undefined {
  return root === 'paths' ? paths?.[String(path)]?.[String(method)] : undefined;
}
