import type { OpenAPIV3 } from 'openapi-types';
import { oncePer } from '../lib/once-per.js';
import type { ApiKeyScheme, BanRule, ErrorCodeDocs, OperationExtensions, PlanLimits } from './extensions.js';
import { type OperationEntry, operationsOf, parametersIn, resolve } from './operations.js';

export type { BanRule, PlanLimits };

/** The OpenAPI document with the extensions that the server reads. */
export type ContractDocument = OpenAPIV3.Document<OperationExtensions> & {
  readonly 'x-error-codes': Readonly<Record<string, ErrorCodeDocs>>;
  readonly 'x-rate-limit-plans'?: Plans;
  readonly 'x-rate-limit-address-plan'?: string;
  readonly 'x-rate-limit-ban'?: BanRule;
};

/** The plans by name. `custom`: each quota has its own limits. */
export type Plans = Readonly<Record<string, PlanLimits | 'custom' | 'unlimited'>>;

/** What the requests of a caller count against, such as those of an API key and its successors. */
export type Quota = LimitedQuota | { readonly id: string; readonly limits: undefined };

/** A quota on a plan with limits. Requests on any other plan are not counted. */
export interface LimitedQuota {
  readonly id: string;
  readonly limits: PlanLimits;
}

type Extended = Pick<ContractDocument, 'x-rate-limit-plans' | 'x-rate-limit-address-plan' | 'x-rate-limit-ban'>;

/** The plans of the contract; without any, `unlimited` is the only one. */
export function plansOf({ 'x-rate-limit-plans': plans = { unlimited: 'unlimited' } }: Extended): Plans {
  return plans;
}

/** The name of the plan whose minute limits client addresses: by default the first one. */
export function addressPlanOf(document: Extended): string {
  return document['x-rate-limit-address-plan'] ?? Object.keys(plansOf(document))[0] ?? '';
}

/** Without one, nothing is banned. */
export function banRuleOf({ 'x-rate-limit-ban': rule = noBans }: Extended): BanRule {
  return rule;
}

const noBans: BanRule = { rejectedRequestsFactor: Number.MAX_SAFE_INTEGER, seconds: 0 };

/** An announced removal, from `x-deprecated-at`, `x-sunset` and `x-successor`. Times are Unix milliseconds. */
export interface Deprecation {
  readonly deprecatedAt: number | undefined;
  /** From then on the operation returns 410. */
  readonly sunsetAt: number | undefined;
  /** The operation to use instead. */
  readonly successor: string | undefined;
}

/** The operations of loaded documents by operationId: looking each of them up in turn takes seconds for a thousand. */
const entriesById = oncePer(
  (document: ContractDocument): ReadonlyMap<string | undefined, OperationEntry> =>
    new Map(operationsOf(document).map((entry) => [entry.operation.operationId, entry] as const)),
);

/** @throws TypeError if the contract has no such operation. */
export function requireOperation(document: ContractDocument, id: string): OperationEntry {
  const found = entriesById(document).get(id);
  if (found === undefined) throw new TypeError(`The contract has no operation ${id}.`);
  return found;
}

export function operationIdsOf(document: ContractDocument): readonly string[] {
  return operationsOf(document).map(({ operation }) => operation.operationId as string);
}

export type SecuritySchemeObject = OpenAPIV3.SecuritySchemeObject & ApiKeyScheme;

/** `undefined` for an operation whose removal is not announced. */
export function findDeprecation(document: ContractDocument, id: string): Deprecation | undefined {
  const { operation } = requireOperation(document, id);
  const { 'x-deprecated-at': since, 'x-sunset': sunset, 'x-successor': successor } = operation;
  if (operation.deprecated !== true || (since ?? sunset) === undefined) return undefined;
  return {
    deprecatedAt: midnightOf(since),
    sunsetAt: midnightOf(sunset),
    successor: successor,
  };
}

export function isRemoved(deprecation: Deprecation | undefined, now: number): boolean {
  return deprecation?.sunsetAt !== undefined && now >= deprecation.sunsetAt;
}

function midnightOf(day: string | undefined): number | undefined {
  return day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`);
}

/** The names of the parameters or cookies that API keys are sent in. */
export function keyNamesIn(place: 'query' | 'cookie', document: ContractDocument): readonly string[] {
  const schemes = Object.values(securitySchemesOf(document)).map((node) =>
    resolve<SecuritySchemeObject>(document, node),
  );
  return schemes.flatMap((scheme) => (scheme.type === 'apiKey' && scheme.in === place ? [scheme.name] : []));
}

/**
 * The security requirements of an operation, or of the root; none if it requires nothing. Those with a client
 * certificate (`mutualTLS`) are omitted, because no request satisfies them.
 */
export function requirementsOf(
  document: Pick<OpenAPIV3.Document, 'security' | 'components'>,
  { security = document.security ?? [] }: Pick<OpenAPIV3.OperationObject, 'security'> = {},
): readonly OpenAPIV3.SecurityRequirementObject[] {
  const isSupported = (name: string) => {
    const { [name]: node } = document.components?.securitySchemes ?? {};
    const { type } = node === undefined ? {} : resolve<{ readonly type?: string }>(document, node);
    return type !== 'mutualTLS';
  };
  return security.filter((requirement) => Object.keys(requirement).every(isSupported));
}

export function securitySchemesOf(document: ContractDocument): Readonly<Record<string, SecuritySchemeObject>> {
  return (document.components?.securitySchemes ?? {}) as Readonly<Record<string, SecuritySchemeObject>>;
}

/** The prefixes of API keys, by environment: those of the first security scheme that has any. */
export function keyPrefixesOf(document: Pick<OpenAPIV3.Document, 'components'>): Readonly<Record<string, string>> {
  const schemes = Object.values(document.components?.securitySchemes ?? {});
  const resolved = schemes.map((scheme) => resolve<object>(document, scheme) as ApiKeyScheme);
  const { 'x-key-prefixes': prefixes } = resolved.find((scheme) => 'x-key-prefixes' in scheme) ?? {};
  return prefixes ?? { production: 'secret_' };
}

/** How long a response is stored for its `Idempotency-Key`, as a header of the operation says; a day by default. */
export function idempotencyRetentionSecondsOf(document: ContractDocument, id: string): number {
  const headers = parametersIn('header', document, requireOperation(document, id)) as readonly Parameter[];
  const [seconds = 24 * 60 * 60] = headers.flatMap((header) => header['x-idempotency-retention-seconds'] ?? []);
  return seconds;
}

type Parameter = OpenAPIV3.ParameterObject & { readonly 'x-idempotency-retention-seconds'?: number };

/**
 * The greatest limit of a custom plan: `RateLimit-Policy` is a structured field, whose integers have at most 15 digits
 * (RFC 9651, section 3.3.1).
 */
export function limitMaxOf(document: ContractDocument): number {
  const maximum = findHeaderSchema(document, 'X-RateLimit-Limit')?.maximum as number | bigint | undefined;
  return Number(maximum ?? 999_999_999_999_999);
}

/** The schema of a header that responses of operations declare, by its name in any case. */
export function findHeaderSchema(document: ContractDocument, name: string): OpenAPIV3.SchemaObject | undefined {
  const responses = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  const declared = responses.flatMap((response) =>
    Object.entries(resolve<OpenAPIV3.ResponseObject>(document, response).headers ?? {}),
  );
  const [, node] = declared.find(([each]) => each.toLowerCase() === name.toLowerCase()) ?? [];
  const { schema } = node === undefined ? {} : resolve<OpenAPIV3.HeaderObject>(document, node);
  return schema && resolve<OpenAPIV3.SchemaObject>(document, schema);
}
