import type { BodyLimits } from '@contract-server/core/contract/deployment.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { countMax } from '@contract-server/core/lib/count-max.js';
import {
  anyFunction,
  anyObject,
  boolean,
  describeValue,
  integer,
  matching,
  type OptionRules,
  object,
  oneOf,
  type Rule,
  recordOf,
  text,
  withFunctions,
} from '@contract-server/core/lib/option-rules.js';
import type { ContractLocation, FileLocation } from '@contract-server/core/load/load-contract.js';
import type { Logger } from 'pino';
import type { ErrorResponseOptions } from '../http/errors/error-responses.js';
import { isBaseUrl } from '../lib/setting-parsers.js';
import type { ApiBehaviour } from './api-behaviour.js';

const isFileUrl = (value: unknown) => value instanceof URL && value.protocol === 'file:';
const isFileLocation = (value: unknown) => isFileUrl(value) || (text.accepts(value as string) && value !== '');

export const fileUrl: Rule<URL> = { kind: 'a file URL', accepts: isFileUrl };
const fileLocation: Rule<FileLocation> = { kind: 'a path or a file URL', accepts: isFileLocation };

/** Segments of RFC 3986, section 3.3, in any script; without dot segments, which URL parsers remove. */
const pathPrefix = matching(
  "'' or a path such as '/v2'",
  /^(?:\/(?!(?:\.|%2e){1,2}(?:\/|$))(?:[^/?#%\\{}[\]<>|^"`\s\p{Cc}]|%[\da-f]{2})+)*$/iu,
);

const token = "[\\w!#$%&'+.^`|~-]+";
const quoted = String.raw`"(?:[\t !#-[\]-~]|\\[\t -~])*"`;
/** RFC 9110, section 8.3.1; no range, such as `text/*`. */
const mediaType = matching(
  "a media type such as 'application/problem+json'",
  new RegExp(`^${token}/${token}(?:[ \\t]*;[ \\t]*${token}=(?:${token}|${quoted}))*$`),
);

export const baseUrl: Rule<string> = {
  kind: 'an http or https URL without white space, a user, a query and a fragment',
  accepts: (value) => text.accepts(value) && isBaseUrl(value),
  isSecret: true,
};

export const loggerRule: Rule<Logger> = withFunctions('a logger such as that of pino', 'warn', 'error', 'child');

export const clockRule: Rule<Clock> = {
  kind: 'a function that returns the time in milliseconds',
  accepts: anyFunction.accepts,
  // `Date` is a function too, but returns text.
  problemsIn: (clock, { path }) => {
    const problem = `\`${path}\` must return the time in milliseconds`;
    try {
      const time = clock();
      return Number.isFinite(time) ? [] : [`${problem}, not ${describeValue(time)}.`];
    } catch (error) {
      return [`${problem}, but it throws: ${String(error)}`];
    }
  },
};

export const contractRule: Rule<ContractLocation> = {
  kind: 'a path, a file URL or an OpenAPI document',
  accepts: (value) => isFileLocation(value) || anyObject.accepts(value as object),
};

export const errorRules: OptionRules<ErrorResponseOptions> = {
  body: anyFunction,
  mediaType,
  map: anyFunction,
  status: recordOf(integer(400, 599)),
};

const count = integer(1, countMax);

/** The options of services and routers. */
export const behaviourRules: OptionRules<ApiBehaviour> = {
  overlay: fileLocation,
  lenient: boolean,
  rejectInvalidCredentials: boolean,
  errors: object(errorRules),
  validateResponses: boolean,
  prefix: pathPrefix,
  limits: object<BodyLimits>({ bodyBytes: count, bodyValues: count }),
  unknownQueryParameters: oneOf('reject', 'ignore'),
  rateLimitHeaders: oneOf('both', 'x-ratelimit', 'draft'),
  trailingSlashes: oneOf('strict', 'ignore'),
  caseSensitive: boolean,
  gzipBodies: boolean,
};
