import type { PlanLimits, Quota } from '@contract-server/core/contract/document.js';
import { countMax } from '@contract-server/core/lib/count-max.js';
import {
  integer,
  listOf,
  openObject,
  orUndefined,
  type Rule,
  required,
  secret,
  text,
} from '@contract-server/core/lib/option-rules.js';
import type { Caller } from '@contract-server/core/types/types.js';

const count = required(integer(1, countMax));
const limits = openObject<PlanLimits>({ requestsPerMinute: count, requestsPerDay: count });

/** With a misspelled `limits`, requests would not be counted. */
const quota = openObject<Quota>({ id: required(text), limits: required(orUndefined(limits)) });

/** What a security handler returns for valid credentials. A wrong one may return the credentials. */
export const callerRule: Rule<Caller> = secret(openObject<Caller>({ id: required(text), scopes: listOf(text), quota }));
