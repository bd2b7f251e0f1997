import type { Contract } from '@contract-server/core/contract/contract.js';
import type { DeclaredResponse } from '@contract-server/core/contract/responses.js';
import { deprecationHeaders } from '@contract-server/core/contract/server-headers.js';
import { anyOperation } from './response-finder.js';
import { isCovered } from './standard-headers.js';
import type { TestedContract } from './tested-contract.js';

/** How much of a contract tests have covered. */
export interface Coverage {
  /** Aligned lines for the terminal, with the number of statuses, headers and error codes that tests have covered. */
  readonly summary: string;
  /** What no test has covered, and no exception names. */
  readonly missing: readonly string[];
  /** A sentence for each exception that is not needed. */
  readonly staleExceptions: readonly string[];
}

/**
 * What tests need not cover, with the reason: `{ 'getPet 503': 'tested in the fault tests only' }`. An exception for a
 * response includes its headers. `*` is any text, and `5XX` any status of the range: `'getPet 5XX'`, `'* 500'`,
 * `'*: sunset'`, `'error code *'`.
 */
export type CoverageExceptions = Readonly<Record<string, string>>;

/** Compares what a contract declares with what tests have covered. */
export function coverageOf(contract: TestedContract, seen: ReadonlySet<string>, except: CoverageExceptions): Coverage {
  const declared = declaredBy(contract);
  const patterns = Object.keys(except).map(patternOf);
  const isExcepted = (name: string) =>
    patterns.some((pattern) => pattern.test(name) || pattern.test(name.split(': ', 1)[0] ?? ''));
  return {
    summary: summaryOf(declared, seen, Object.keys(except).length),
    missing: declared.filter((name) => !seen.has(name) && !isExcepted(name)),
    staleExceptions: Object.entries(except).flatMap(([name, reason]) => {
      const excepted = declared.filter((each) => patternOf(name).test(each));
      if (excepted.length === 0) return [`${name}: the contract does not declare it`];
      if (excepted.every((each) => seen.has(each)))
        return [`${name}: ${excepted[1] ? 'tests cover' : 'a test covers'} it`];
      return reason.trim() === '' ? [`${name}: give the reason`] : [];
    }),
  };
}

/** Matches the names that an exception stands for. */
function patternOf(exception: string): RegExp {
  const escaped = exception.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${escaped.replace(/ ([1-5])XX(?=$|: )/, ' $1(?:\\d\\d|XX)')}$`);
}

/** `getPet 410`, `getPet 410: link`, `default: allow`, `error code not_ready`. */
function declaredBy(contract: TestedContract): string[] {
  const { operations, sharedDefault, ownErrorCodes = [] } = contract;
  const canBeSeen = codesWithBody(contract);
  const own = operations.flatMap(({ id, responses, declaration: { deprecated = false } }) => {
    const listed = [...responses.declared].filter(([status]) => status !== 'default' || sharedDefault === undefined);
    return listed.flatMap(([status, response]) => namesOf(`${id} ${status}`, response, deprecated));
  });
  const shared = sharedDefault === undefined ? [] : namesOf(anyOperation, sharedDefault, false);
  return [...own, ...shared, ...ownErrorCodes.filter(canBeSeen).map((code) => `error code ${code}`)];
}

/** Whether the status of an error code is declared with content, or not at all: otherwise no response has the code. */
function codesWithBody({ document, operations }: Contract): (code: string) => boolean {
  const { 'x-error-codes': codes } = document;
  return (code) => {
    const found = operations.map(({ responses }) => responses.find(codes[code]?.status ?? 500));
    const sizes = found.flatMap((declared) => declared?.content.length ?? []);
    return !sizes.includes(0) || sizes.some((size) => size > 0);
  };
}

/** Responses that operations share declare the headers of deprecated operations, which the others do not send. */
function namesOf(name: string, { headers }: DeclaredResponse, isDeprecated: boolean): string[] {
  const names = [...headers.keys()];
  const announcesDeprecation = !isDeprecated && names.includes('deprecation');
  const sent = names
    .filter((header) => isCovered(header))
    .filter((header) => !announcesDeprecation || !deprecationHeaders.includes(header));
  return [name, ...sent.map((header) => `${name}: ${header}`)];
}

function summaryOf(declared: readonly string[], seen: ReadonlySet<string>, exceptions: number): string {
  const isCode = (name: string) => name.startsWith('error code ');
  const isHeader = (name: string) => name.includes(': ');
  const counts = Object.entries({
    statuses: declared.filter((name) => !isCode(name) && !isHeader(name)),
    headers: declared.filter(isHeader),
    'error codes': declared.filter(isCode),
  }).map(([kind, names]) => [
    kind,
    `${String(names.filter((name) => seen.has(name)).length)} of ${String(names.length)}`,
  ]);
  const rows = exceptions === 0 ? counts : [...counts, ['exceptions', String(exceptions)]];
  const width = Math.max(...rows.map(([, count = '']) => count.length));
  const lines = rows.map(([kind = '', count = '']) => `  ${kind.padEnd(12)}${count.padStart(width)}`);
  return ['Contract coverage', ...lines].join('\n');
}
