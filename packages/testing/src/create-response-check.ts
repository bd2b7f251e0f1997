import { findHeaderSchema } from '@contract-server/core/contract/contract.js';
import { deprecationHeaders, rateLimitHeaders } from '@contract-server/core/contract/server-headers.js';
import { ErrorCodeCheck } from './error-code-check.js';
import { type FoundResponse, ResponseFinder } from './response-finder.js';
import { type ReceivedResponse, ResponseViolations } from './response-violations.js';
import { recordSeen } from './seen-responses.js';
import { isCovered, standardHeaders } from './standard-headers.js';
import { loadTestedContract, type TestedContract, type TestedContractOptions } from './tested-contract.js';

/** What may differ between services. */
export interface ResponseRules {
  /** The path prefix of the operations, if the application does not serve them below that of the contract. */
  readonly basePath?: string;
  /** Returns the error code of a parsed error body, if the contract has `x-error-codes`. Default: its field `code`. */
  readonly codeOf?: (body: unknown) => unknown;
  /**
   * The headers that need not be declared: `[...standardHeaders, 'X-Trace', 'X-My-*']`, or `['*']` for any. Default:
   * `standardHeaders`. Those of rate limits must be declared only if the contract declares them for any response.
   */
  readonly undeclaredHeaders?: readonly string[];
  /**
   * The directory of the coverage gate, as in `CoverageOptions`. With `false`, the responses do not count, for example
   * those of a mock server.
   */
  readonly coverageDirectory?: string | false;
}

export interface ResponseCheckOptions extends ResponseRules, TestedContractOptions {}

/**
 * Throws an Error unless the contract declares the response: its status, its media type, its body, its headers and its
 * error code. Otherwise records it for the coverage gate.
 *
 * @param method in upper case. @param target the path of the request, with or without its query.
 */
export type ResponseCheck = (method: string, target: string, response: ReceivedResponse) => void;

/** The maximum number of violations in one message. */
const violationsMax = 20;

/**
 * Creates a check for responses that `createRequest` has not received, such as those of `fetch`.
 *
 * @throws ContractError
 */
export async function createResponseCheck(options: ResponseCheckOptions): Promise<ResponseCheck> {
  const { coverageDirectory } = options;
  const contract = await loadTestedContract(options);
  const checker = new ResponseChecker(contract, options);
  return (method, target, response) => {
    const seen = checker.check(method, target, response);
    if (coverageDirectory !== false) recordSeen(contract.url, seen, coverageDirectory);
  };
}

class ResponseChecker {
  private readonly finder: ResponseFinder;
  private readonly violations: ResponseViolations;
  private readonly errorCodes: ErrorCodeCheck;
  private readonly exempt: readonly string[];

  constructor(contract: TestedContract, { basePath, codeOf, undeclaredHeaders = standardHeaders }: ResponseRules) {
    this.finder = new ResponseFinder(contract, basePath ?? contract.prefix);
    this.violations = new ResponseViolations(contract.schemas);
    this.errorCodes = new ErrorCodeCheck(contract, codeOf);
    const declaresRateLimits = rateLimitHeaders.some((name) => findHeaderSchema(contract, name) !== undefined);
    this.exempt = [
      ...undeclaredHeaders.map((name) => name.toLowerCase()),
      ...(declaresRateLimits ? [] : rateLimitHeaders),
    ];
  }

  /** Returns what was seen: `getPet 404`, `getPet 404: sunset`, `error code pet_not_found`. */
  check(method: string, target: string, received: ReceivedResponse): string[] {
    const { status, headers } = received;
    const code = this.errorCodes.find(received);
    const seenCode = code === undefined ? [] : [`error code ${code}`];
    const declared = this.finder.find(method, target.split('?', 1)[0] ?? '', status);
    if (declared === undefined) return seenCode;
    const violations = 'violation' in declared ? [declared.violation] : this.violationsOf(method, declared, received);
    if (violations.length > 0) throw new Error(describe(`${method} ${target} returns ${String(status)}`, violations));
    const { name } = declared as FoundResponse;
    const covered = Object.keys(headers).filter((header) => isCovered(header, headers[header]));
    return [name, ...covered.map((header) => `${name}: ${header}`), ...seenCode];
  }

  private violationsOf(method: string, declared: FoundResponse, received: ReceivedResponse): readonly string[] {
    const { response, isDefault, isDeprecated } = declared;
    const exempt = isDefault && isDeprecated ? [...this.exempt, ...deprecationHeaders] : this.exempt;
    return [
      ...this.violations.ofBody(method, response, received),
      ...this.violations.ofHeaders(response, received.headers, exempt),
      ...this.errorCodes.violationsOf(received),
    ];
  }
}

function describe(received: string, violations: readonly string[]): string {
  const others = violations.length - violationsMax;
  const lines = [...violations.slice(0, violationsMax), ...(others > 0 ? [`and ${String(others)} more`] : [])];
  return `${received}, which the contract does not allow:${lines.map((line) => `\n  ${line}`).join('')}`;
}
