import { isDeepStrictEqual } from 'node:util';
import { addressPlanOf, banRuleOf, plansOf } from '@contract-server/core/contract/document.js';
import { pointerTo } from '@contract-server/core/contract/json-pointer.js';
import { type LoadOptions, loadDocument } from '@contract-server/core/load/load-document.js';
import { compareDocuments } from './compare-documents.js';
import type { ComparedDocument, Values } from './compared-document.js';
import { type Description, describeChange } from './describe-change.js';
import { type RecordedChange, Recorder } from './recorder.js';
import { allowsBreakingChanges, type Level, versionProblems } from './version-rules.js';

export interface ClassifiedChange
  extends Pick<RecordedChange, 'action' | 'before' | 'after' | 'effect' | 'operations'>,
    Description {
  /** Through references, as a part of the first operation. */
  readonly pointer: string;
}

/** What has changed, and why the contract must not be released, in whole sentences. */
export interface ContractDiff {
  readonly changes: readonly ClassifiedChange[];
  /** One for each change that breaks clients and is not allowed. */
  readonly breakingProblems: readonly string[];
  readonly versionProblems: readonly string[];
}

/** Both contracts, and what has changed. */
export interface FileDiff extends ContractDiff {
  readonly released: ComparedDocument;
  readonly current: ComparedDocument;
}

/** A contract, with its overlay. */
export interface ComparedFile extends Pick<LoadOptions, 'overlay' | 'isLenient'> {
  readonly url: URL;
}

/** Reads two contracts, and compares them as `diffContract` does. @throws ContractError if one is invalid. */
export async function diffFiles(one: ComparedFile, other: ComparedFile, today: string): Promise<FileDiff> {
  const read = async ({ url, ...options }: ComparedFile) =>
    (await loadDocument(url, options)).document as unknown as ComparedDocument;
  const [released, current] = [await read(one), await read(other)];
  return { released, current, ...diffContract(released, current, today) };
}

/**
 * Compares a contract with the released one. A breaking change of a stable operation, or of what all operations share,
 * requires another path prefix or major version; `beta` and `experimental` operations may change. The version must
 * match the changes. What several operations use is reported at its first use, with the names of all.
 *
 * @param today `YYYY-MM-DD`. An operation may be removed from its `x-sunset` on.
 */
export function diffContract(released: ComparedDocument, current: ComparedDocument, today: string): ContractDiff {
  const recorder = new Recorder(comparable(released), comparable(current), today);
  compareDocuments(recorder);
  const changes = recorder.finish().map((change) => {
    const { action, before, after, effect, operations, path } = change;
    return { pointer: pointerTo(path), action, before, after, effect, operations, ...describeChange(change) };
  });
  const { version } = released.info;
  const breaking = allowsBreakingChanges(released, current) ? [] : changes.filter((each) => each.effect === 'breaking');
  const breakingProblems = breaking.map(({ operations, place, change }) => {
    const where = [operations.join(', '), place].filter(Boolean).join(', ');
    return `${where && `${where}: `}${change}. This breaks clients of ${version}.`;
  });
  const isEqual = isDeepStrictEqual(withoutVersion(released), withoutVersion(current));
  const isChanged = changes.some(({ effect }) => effect !== 'annotation');
  const level: Level = breaking.length > 0 ? 'major' : isChanged ? 'minor' : isEqual ? 'none' : 'patch';
  return { changes, breakingProblems, versionProblems: versionProblems(released, current, level) };
}

/** A document without plans has an unlimited one, so that the first plan is a limit that clients did not have. */
function comparable(document: ComparedDocument): Values {
  return {
    'x-rate-limit-plans': plansOf(document),
    'x-rate-limit-address-plan': addressPlanOf(document),
    'x-rate-limit-ban': banRuleOf(document),
    ...withoutVersion(document),
  };
}

function withoutVersion(document: ComparedDocument): ComparedDocument {
  return { ...document, info: { ...document.info, version: '' } };
}
