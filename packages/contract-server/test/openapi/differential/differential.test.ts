import { inspect, isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { createBoth, type Result, type Sent, sendToBoth } from './both-backends.js';
import { deviations, isExplained } from './deviations.js';
import { plain } from './plain.js';

const split = (text: string) => text.split(' ');
const numbers = split('1 20 100 0 101 -1 007 0x10 1e1 1.0 1.5 +5 %20 abc 9007199254740993 9223372036854775808');
const paths = split(
  '/v1/toys /v1/toys/ v1/toys /v1 /v1/ / /toys /v1x/toys /V1/toys /v1//toys //v1/toys /v1/offers /v1/toys/mine ' +
    '/v1/toys/mine/ /v1/toys/1/parts /v1/toys/1/parts/a%2Fb /v1/toys/1/parts/%zz /v1/toys/{toyId} /v1/toys/%31',
);
const names = split('limit name isSold ratio page Limit constructor');
const texts = [...numbers, ...split('Ball Kite Ba%6cl true false TRUE null a=b a?b'), '', ' '];
const values = split('1 0 -1 1.0 2.5 1e3 "Ball" "" true null [] {} {"a":1} 9007199254740993 x [{"name":"Kite"}]');
const bodies = ['', ' ', 'null', '5', '"x"', 'x', '[]', '{}', '{"name":"Ball"}', '{"name":"Ball"', '{"name":1}'];

const path = fc.oneof(
  fc.constant('/v1/toys'),
  fc.constantFrom(...paths),
  fc.constantFrom(...numbers).map((id) => `/v1/toys/${id}`),
  fc.constantFrom(...numbers).map((id) => `/v1/toys/${id}/parts/wheel`),
);
const pairs = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...texts)), { maxLength: 4 });
const queryText = pairs.map((all) => all.map((pair) => pair.join('=')).join('&'));
/** As Express parses it, with an array for a repeated parameter. */
const queryObject = pairs.map((all) => {
  const query: Record<string, unknown> = {};
  for (const [name, value] of all) query[name] = Object.hasOwn(query, name) ? [query[name], value].flat() : value;
  return query;
});
const headers = fc.dictionary(
  fc.constantFrom('X-Trace', 'x-trace', 'Cookie', 'Authorization', 'content-type', 'Content-Type'),
  fc.constantFrom(
    '5',
    'five',
    'session=ab',
    'session=a; other=%20',
    'application/json',
    'application/json; charset=utf-8',
  ),
);
const member = fc.tuple(fc.constantFrom(...split('name weight price isSold parts size')), fc.constantFrom(...values));
const object = fc.array(member, { maxLength: 4 }).map((members) => {
  const text = members.map(([name, value]) => `"${name}":${value}`);
  return `{${['"name":"Ball"', ...text].join(',')}}`;
});
/** Text, or JSON as `express.json()` parses it. */
const body = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: object }, fc.constantFrom(...bodies)), fc.boolean())
  .map(([text, isParsed]) => {
    try {
      return isParsed ? (JSON.parse(text) as object) : text;
    } catch {
      return text;
    }
  });
const method = fc.constantFrom(...split('GET get POST PUT DELETE HEAD OPTIONS'), ' POST');

const anyRequest: fc.Arbitrary<Sent> = fc.oneof(
  fc.record({
    method: fc.constantFrom('DELETE', 'delete'),
    path: fc.constantFrom('/v1/toys/mine', 'v1/toys/mine/'),
    headers,
  }),
  fc.record({
    method,
    path,
    query: fc.oneof(
      queryObject,
      queryText,
      queryText.map((text) => `?${text}`),
    ),
    headers,
  }),
  fc.tuple(method, path, queryText, headers).map(([name, target, query, sent]) => ({
    ...{ method: name, path: `${target}?${query}`, headers: sent },
  })),
  fc.record(
    { method: fc.constantFrom('POST', 'PUT'), path, headers, body },
    { requiredKeys: ['method', 'path', 'headers'] },
  ),
);

describe('accelerate, compared with the same instance of openapi-backend', () => {
  for (const [reason, example, concerns] of deviations)
    it(`differs by intention: ${reason}`, async () => {
      const { stock, accelerated } = await sendToBoth(await createBoth(), () => ({ headers: {}, ...example }));
      expect(concerns(example)).to.equal(true);
      expect(isDeepStrictEqual(plain(accelerated), plain(stock)), inspect({ accelerated, stock })).to.equal(false);
    });

  it('handles generated requests in the same way, except for the intended differences', async () => {
    const both = await createBoth();
    const seen = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(anyRequest, async (sent) => {
        const { stock, accelerated } = await sendToBoth(both, () => structuredClone(sent), 'first', 'second');
        seen.add((accelerated as Partial<Result>).handler ?? 'thrown');
        expect(isExplained(sent, accelerated, stock), inspect({ accelerated, stock }, { depth: 6 })).to.equal(true);
      }),
      { numRuns: 4000 },
    );
    expect([...seen]).to.include.members([
      ...['listToys', 'createToy', 'getToy', 'deleteMine', 'putPart', 'thrown'],
      ...['notFound', 'methodNotAllowed', 'validationFail', 'unauthorizedHandler'],
    ]);
  });
});
