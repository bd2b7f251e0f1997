import { expect } from 'chai';
import { errorOf } from '#dist/client-error.js';
import { ClientError } from '#dist/index.js';

const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'No pet has the id 7.' };
const unexpected = 'The response (status 404) does not conform to the contract. A proxy may have sent it.';

/** The media type and the text of a 404, and the code, the message and the body of its error. */
type Case = readonly [mediaType: string, text: string, code: string, message: string, body: unknown];
const table: readonly Case[] = [
  ['application/json', '{"code":"gone","message":"Gone.","status":404}', 'gone', 'Gone.', undefined],
  ['application/json', '{"code":"gone","message":"Gone."}', 'gone', 'Gone.', undefined],
  ['application/json', '{"code":7,"message":"Gone."}', 'http_error', 'Gone.', undefined],
  ['application/json', '{"errors":["Gone."]}', 'http_error', 'The response has the status 404.', undefined],
  [
    'application/json',
    '{"id":9007199254740993}',
    'http_error',
    'The response has the status 404.',
    { id: 9007199254740993n },
  ],
  ['application/problem+json', JSON.stringify(problem), 'http_error', problem.detail, undefined],
  ['application/problem+json', '{"title":"Gone"}', 'http_error', 'Gone', undefined],
  ['application/json', 'null', 'http_error', 'The response has the status 404.', undefined],
  ['application/json', '{', 'http_error', '{', '{'],
  ['text/plain; charset=utf-8', 'Gone.', 'http_error', 'Gone.', 'Gone.'],
  ['text/plain', 'a'.repeat(5000), 'http_error', 'a'.repeat(1000), 'a'.repeat(5000)],
  ['', '', 'http_error', 'The response has the status 404.', 'none'],
  ['text/html', '<html>', 'unexpected_response', unexpected, '<html>'],
  ['application/json', '{"code":"gone","message":"Gone.","status":410}', 'unexpected_response', unexpected, undefined],
];

describe('the error of a response', () => {
  for (const [mediaType, text, code, message, body = JSON.parse(text) as unknown] of table)
    it(`is ${code} for ${mediaType} ${text.slice(0, 50)}`, () => {
      const headers = mediaType === '' ? {} : { 'Content-Type': mediaType };
      const error = errorOf(ClientError, new Response(text, { status: 404, headers }), text);
      const found = [error.code, error.message, error.status, error.body];
      expect(found).to.deep.equal([code, message, 404, body === 'none' ? undefined : body]);
      expect(Object.keys(error)).not.to.include('body');
    });

  for (const [retryAfter, date, seconds] of [
    ['5', undefined, 5],
    ['Fri, 31 Dec 1999 23:59:59 GMT', 'Fri, 31 Dec 1999 23:59:00 GMT', 59],
    ['Friday, 31-Dec-99 23:59:59 GMT', 'Fri, 31 Dec 1999 23:59:00 GMT', 59],
    ['Fri Dec 31 23:59:59 1999', 'Fri, 31 Dec 1999 23:59:00 GMT', 59],
    ['Fri, 31 Dec 1999 23:59:59 GMT', undefined, 0],
    ['soon', undefined, undefined],
    ['-1', undefined, undefined],
    ['2999', undefined, 2999],
    [undefined, undefined, undefined],
  ] as const)
    it(`may be retried after ${String(seconds)} s: ${String(retryAfter)}`, () => {
      const given = {
        ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
        ...(date !== undefined && { Date: date }),
      };
      const error = errorOf(ClientError, new Response('', { status: 503, headers: given }), '');
      expect(error.retryAfterSeconds).to.equal(seconds);
    });
});
