import type { HttpResponse, RequestContext } from '../http/request-context.js';
import { parseQuery } from '../lib/query.js';
import { ApiError } from '../openapi/api-error.js';
import type { OperationId } from '../openapi/types.js';
import type { MockAnswers } from './example-responses.js';
import { readPreferences } from './prefer.js';

/** How much is repeated of what a client asked for, in characters. */
const shownMax = 64;

/**
 * The answer to a valid request: the first example of the usual status, or what the request prefers (RFC 7240): `code`,
 * a status; `example`, one by its name, of that status or else of the first one that has it. `Preference-Applied` says
 * what was followed.
 *
 * @throws ApiError `invalid_request` for a status or an example that the operation does not have: RFC 7240 would have it
 * ignored, but a test that asks for one means it.
 */
export function chooseAnswer(answers: MockAnswers, id: OperationId, { request, query }: RequestContext): HttpResponse {
  const preferences = readPreferences(request.headers['prefer']?.toString());
  const [code, example] = [preferences.get('code'), preferences.get('example')];
  const status = chooseStatus(answers, id, code, example);
  const { headers, ...answer } = answers.answer(id, status, example);
  const applied = [
    ...(code === undefined ? [] : [`code=${code}`]),
    ...(example === undefined ? [] : [`example=${example}`]),
  ];
  const { Link: link, ...others } = headers;
  return {
    ...answer,
    headers: {
      ...others,
      // A page that was asked for by its cursor is the last one, so that whoever follows the links comes to an end.
      ...(link === undefined || 'cursor' in parseQuery(query) ? {} : { Link: link }),
      ...(applied.length === 0 ? {} : { 'Preference-Applied': applied.join(', ') }),
    },
  };
}

function chooseStatus(
  answers: MockAnswers,
  id: OperationId,
  code: string | undefined,
  example: string | undefined,
): string {
  const names = answers.namesOf(id);
  if (code !== undefined && !names.has(code)) {
    throw apiError(`asks for the code ${cut(code)}; ${id} has: ${[...names.keys()].join(', ')}.`);
  }
  if (example === undefined) return code ?? answers.usualStatusOf(id);
  const statuses = code === undefined ? [...names.keys()] : [code];
  const status = statuses.find((one) => names.get(one)?.includes(example));
  if (status !== undefined) return status;
  const shown = statuses.map((one) => `${one} ${names.get(one)?.join(' ') ?? ''}`).join(', ');
  throw apiError(`asks for the example ${cut(example)}; ${id} has: ${shown}.`);
}

function apiError(message: string): ApiError {
  return new ApiError('invalid_request', `Header prefer ${message}`);
}

function cut(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}
