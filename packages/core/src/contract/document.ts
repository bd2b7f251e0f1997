import type { OpenAPIV3 } from 'openapi-types';
import type { BanRule, ErrorCodeDocs, OperationExtensions, PlanLimits } from './extensions.js';

export type { BanRule, PlanLimits };

/** The OpenAPI document with the extensions that the server reads. */
export type ContractDocument = OpenAPIV3.Document<OperationExtensions> &
  RateLimitExtensions & { readonly 'x-error-codes': Readonly<Record<string, ErrorCodeDocs>> };

/** What a document states about plans, client addresses and bans. */
export interface RateLimitExtensions {
  readonly 'x-rate-limit-plans'?: Plans;
  readonly 'x-rate-limit-address-plan'?: string;
  readonly 'x-rate-limit-ban'?: BanRule;
}

/** The plans by name. `custom`: each quota has its own limits. */
export type Plans = Readonly<Record<string, PlanLimits | 'custom' | 'unlimited'>>;

/** What the requests of a caller count against, such as those of an API key and its successors. */
export type Quota = LimitedQuota | { readonly id: string; readonly limits: undefined };

/** A quota on a plan with limits. Requests on any other plan are not counted. */
export interface LimitedQuota {
  readonly id: string;
  readonly limits: PlanLimits;
}

/** The plans of a document; without any, `unlimited` is the only one. */
export function plansOf({ 'x-rate-limit-plans': plans = { unlimited: 'unlimited' } }: RateLimitExtensions): Plans {
  return plans;
}

/** The name of the plan whose minute limits client addresses: by default the first one. */
export function addressPlanOf(document: RateLimitExtensions): string {
  return document['x-rate-limit-address-plan'] ?? Object.keys(plansOf(document))[0] ?? '';
}

/** Without one, nothing is banned. */
export function banRuleOf({ 'x-rate-limit-ban': rule = noBans }: RateLimitExtensions): BanRule {
  return rule;
}

const noBans: BanRule = { rejectedRequestsFactor: Number.MAX_SAFE_INTEGER, seconds: 0 };
