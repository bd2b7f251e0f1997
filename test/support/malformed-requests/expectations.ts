import fc from 'fast-check';
import {
  bytes,
  type Family,
  get,
  host,
  json,
  key,
  message,
  post,
  rejected,
  rex,
  served,
  textOf,
  word,
} from './malformed-request.js';

const length = `Content-Length: ${String(rex.length)}`;
const continues = fc.constantFrom(
  '100-continue',
  '100-Continue',
  '100-CONTINUE',
  ' 100-continue ',
  '100-continue, 100-continue',
  ',100-continue',
);

export const expectations: readonly Family[] = [
  {
    rule: 'an unknown expectation returns 417',
    requests: fc
      .tuple(
        textOf(bytes(0x21, 0x7e), { minLength: 1, maxLength: 20 }),
        fc.constantFrom(
          '$',
          '100-continue, $',
          '$, 100-continue',
          '100-continue;$',
          '100-continue=$',
          'x100-continue$',
          '200-$',
        ),
      )
      .map(([text, form]) => form.replace('$', text))
      .filter((expectation) =>
        expectation.split(',').some((member) => !['', '100-continue'].includes(member.trim().toLowerCase())),
      )
      .map((expectation) => rejected(post([json, length, `Expect: ${expectation}`], rex), '417 expectation_failed')),
  },
  {
    rule: 'Expect: 100-continue returns 100 before the body is read',
    requests: fc.tuple(continues, word).map(([expectation, name]) => ({
      ...served('POST /v1/pets', post([json, length, `Expect: ${expectation}`, `X-Odd: ${name}`], rex), '201'),
      isContinued: true,
    })),
  },
  {
    rule: 'an error is returned instead of 100, and the connection is closed, because the body may follow',
    requests: fc.tuple(continues, word).chain(([expectation, name]) => {
      const lines = [`Expect: ${expectation}`, `X-Odd: ${name}`];
      return fc.constantFrom(
        rejected(post(['Content-Type: text/plain', length, ...lines], rex), '415 unsupported_media_type'),
        { ...rejected(post([json, 'Content-Length: 65537', ...lines]), '413 body_too_large'), isUnfinished: true },
        rejected(
          message(['POST /v1/pets HTTP/1.1', host, json, length, ...lines], rex),
          '401 missing_api_key',
          '429 rate_limit_exceeded',
        ),
        rejected(message(['POST /v1/none HTTP/1.1', host, key, json, length, ...lines], rex), '404 route_not_found'),
        { ...served('GET /v1/pets', get('/v1/pets', ...lines), '200'), keepsAlive: false },
      );
    }),
  },
  {
    rule: 'HTTP/1.0 has no expectations (RFC 9110, section 10.1.1)',
    requests: fc.tuple(fc.oneof(word, continues), word).map(([expectation, name]) => ({
      ...served(
        'POST /v1/pets',
        message(['POST /v1/pets HTTP/1.0', host, key, json, length, `Expect: ${expectation}`, `X-Odd: ${name}`], rex),
        '201',
      ),
      keepsAlive: false,
    })),
  },
  {
    rule: 'an empty Expect header is ignored',
    requests: fc
      .tuple(fc.constantFrom('', ' ', ',', ' , '), word)
      .map(([expectation, name]) =>
        served('POST /v1/pets', post([json, length, `Expect: ${expectation}`, `X-Odd: ${name}`], rex), '201'),
      ),
  },
];
