import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import { describeNumber, type NumberRule } from '@contract-server/core/schema/exact-number.js';
import type { ErrorObject } from 'ajv';

/** The maximum number of characters of a received value in a message. */
const shownMax = 60;
/** Keywords whose messages omit the received value, because it is the object or the array around the mistake. */
const ofParent = /^(?:required|dependentRequired|(?:additional|unevaluated)Properties|false schema)$/;

/**
 * Describes an error of Ajv in one line: place, JSON Pointer (RFC 6901), rule, keyword and received value, such as
 * `body /0/name must be string (type), received 3`.
 *
 * @param place such as `body` or `header etag`.
 */
export function describeSchemaError(place: string, error: ErrorObject): string {
  const { instancePath, keyword, data } = error;
  const received = ofParent.test(keyword) ? '' : `, received ${shorten(stringifyJson(data as never))}`;
  return `${[place, instancePath].join(' ').trim()} ${ruleOf(error)} (${keyword})${received}`;
}

function ruleOf({ keyword, params, data, message = 'is invalid' }: ErrorObject): string {
  if (keyword === 'exactNumber') {
    const rule = params as NumberRule;
    return `must be ${[describeNumber(rule, data), ...(rule.otherTypes ?? [])].join(' or ')}`;
  }
  if (keyword === 'false schema') return 'must not be sent';
  const { allowedValues, allowedValue, additionalProperty, unevaluatedProperty } = params as Params;
  const detail = allowedValues ?? allowedValue ?? additionalProperty ?? unevaluatedProperty;
  return detail === undefined ? message : `${message}: ${[detail].flat().map(String).join(', ')}`;
}

interface Params {
  readonly allowedValues?: readonly unknown[];
  readonly allowedValue?: unknown;
  readonly additionalProperty?: string;
  readonly unevaluatedProperty?: string;
}

function shorten(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}
