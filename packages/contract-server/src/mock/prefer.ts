import { ApiError } from '@contract-server/core/lib/errors.js';
import { isToken, quotedString } from '@contract-server/core/lib/header-text.js';
import { truncate } from '@contract-server/core/schema/validation-messages.js';
import { type MockedOperation, statusOf } from './mocked-operation.js';
import type { MockedResponse } from './mocked-response.js';

/** Below the time after which the server closes a connection without progress. */
const waitSecondsMax = 20;

/** What a `Prefer` header selects. */
export interface Preferences {
  readonly code: string | undefined;
  readonly example: string | undefined;
  readonly waitSeconds: number;
  /** Those that apply, for `Preference-Applied`. */
  readonly applied: string;
}

/**
 * Reads the preferences of the mock: `code` selects a status, `example` an example by name, and `wait` a delay.
 *
 * @throws ApiError `invalid_request` if the header is not a list of preferences, or for a delay that is too long.
 */
export function readPreferences(header: string | undefined): Preferences {
  const preferences = parsePrefer(header);
  const names = ['code', 'example', 'wait'].filter((name) => preferences.has(name));
  return {
    code: preferences.get('code'),
    example: preferences.get('example'),
    waitSeconds: waitSecondsOf(preferences.get('wait')),
    applied: names.map((name) => `${name}=${wordOf(preferences.get(name) ?? '')}`).join(', '),
  };
}

/**
 * Selects the response, and the status to send.
 *
 * @throws ApiError `invalid_request` for a status or an example that the operation does not have. RFC 7240 would have
 * it ignored, but a test that selects one relies on it.
 * @throws ApiError `not_implemented` for an operation that declares no success.
 */
export function selectResponse(operation: MockedOperation, { code, example }: Preferences) {
  const { id, responses } = operation;
  const selected = code === undefined ? undefined : findByCode(operation, code);
  if (code !== undefined && selected === undefined)
    throw unknownPreference('code', code, id, [...responses.keys()].join(', '));
  if (example === undefined) return selected ?? successOf(operation);
  const all = [...responses].map(([declared, response]) => ({ declared, status: statusOf(declared), response }));
  const candidates = selected === undefined ? all : [{ declared: String(code), ...selected }];
  const found = candidates.find(({ response }) => response.examples.has(example));
  if (found !== undefined) return found;
  const namesOf = ({ examples }: MockedResponse) => [...examples.keys()].join(' ');
  const named = candidates.filter(({ response }) => response.examples.size > 0);
  const available = named.map(({ declared, response }) => `${declared} ${namesOf(response)}`).join(', ');
  throw unknownPreference('example', example, id, available);
}

function findByCode(operation: MockedOperation, code: string) {
  const response = /^[2-5]\d\d$/.test(code) ? operation.find(Number(code)) : undefined;
  return response && { status: Number(code), response };
}

/** An operation that declares no success is reserved; its response is that of 501. */
function successOf(operation: MockedOperation) {
  const status = operation.findSuccess() ?? 501;
  const response = operation.find(status);
  if (response !== undefined) return { status, response };
  throw new ApiError('not_implemented', `${operation.id} declares no successful response. Do not call it yet.`);
}

/** @throws ApiError `invalid_request` for a delay that the server cannot wait. */
function waitSecondsOf(wait = '0'): number {
  if (/^[0-9]{1,2}$/.test(wait) && Number(wait) <= waitSecondsMax) return Number(wait);
  throw invalidPrefer(`\`Prefer\`: wait must be an integer from 0 to ${String(waitSecondsMax)}.`);
}

function unknownPreference(name: string, value: string, operationId: string, available: string): ApiError {
  const has = available === '' ? 'has none' : `has: ${available}`;
  return invalidPrefer(`\`Prefer\`: unknown ${name} \`${truncate(value)}\`; ${operationId} ${has}.`);
}

/** 400. */
function invalidPrefer(message: string): ApiError {
  return new ApiError('invalid_request', message, { violations: [{ in: 'header', pointer: '/prefer', message }] });
}

/** A value as a token, or as a quoted string if it is none (RFC 9110, section 5.6.4). */
function wordOf(value: string): string {
  return isToken(value) ? value : quotedString(value);
}

const token = "[!#$%&'*+.^_`|~\\w-]+";
const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const pair = `(${token})(?:[ \\t]*=[ \\t]*(${token}|${quoted}))?`;
/** One element of the list, which may be empty (RFC 9110, section 5.6.1): a preference with its parameters. */
const element = new RegExp(`(?:[ \\t]*${pair}(?:[ \\t]*;(?:[ \\t]*${pair})?)*)?[ \\t]*(?:,|$)`, 'gy');

/**
 * Parses a `Prefer` header (RFC 7240): the value of each preference by its name in lower case, '' if it has none. If a
 * preference occurs twice, the first counts. Parameters are ignored.
 *
 * @throws ApiError `invalid_request` if the header is not a list of preferences.
 */
function parsePrefer(header = ''): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  let parsedLength = 0;
  for (const [text, name, value = ''] of header.matchAll(element)) {
    parsedLength += text.length;
    if (name === undefined || preferences.has(name.toLowerCase())) continue;
    preferences.set(name.toLowerCase(), value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value);
  }
  if (parsedLength < header.length)
    throw invalidPrefer('`Prefer` must be a list of preferences, such as code=404, wait=2.');
  return preferences;
}
