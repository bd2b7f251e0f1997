import { inspect, isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { type BackendResult, type TriedRequest, tryBoth } from './both-backends.js';
import { deviations, reconciled } from './deviations.js';

const split = (text: string) => text.split(' ');
const wide = split('9007199254740993 9223372036854775807 9223372036854775808 -9223372036854775809');
const ids = [...split('1 20 100 0 101 -1 -0 007 0x10 1e1 1.0 +5 %2B5 %20 5%20 abc __proto__ %31 %2F % %ff'), ...wide];
const paths = split(
  '/ /v1 /v1/ /v1/toys /v1/toys/ /v1/toys/1 /v1/toys/1/ /v1/toys/1/2 /v1/parts/all /v1/parts /v1//toys //v1/toys ' +
    '/V1/toys /v1/Toys /v1x/toys /v1/t%6fys /toys',
);
const pairs = [
  ...ids.map((text) => `limit=${text}`),
  ...split('status=sold status=Sold status=s%6Fld status= status=sold%20 cursor=x cursor= cursor=a=b cursor=a?b'),
  ...split(
    'limit = =1 page=1 limit[]=5 [limit]=5 %6Cimit=5 Limit=5 constructor=1 __proto__[limit]=5 ?limit=5 cursor=%zz',
  ),
  ...[200, 201].map((length) => `cursor=${'x'.repeat(length)}`),
];
const values = [
  ...split('0 1 -1 -0 1.0 0.5 1e1 1E2 1e400 007 "Block" "" "sold" "gone" null true [] {} {"a":1} x'),
  ...wide,
  ...['" "', '" Block"', '"\\u00a0"', '"\\u0000"', '"\\ud83d"', '"\\ud83d\\udc15"', '"Bl\\u00f6ck"', '"\\x"', ''],
  ...[255, 256].flatMap((length) => [`"${'B'.repeat(length)}"`, `"${'🐕'.repeat(length)}"`]),
];
const good = '{"name":"Block","weight":7}';
const bodies = ['', ' ', 'null', '1', '"x"', '[]', '{}', good, `[${good}]`, good.slice(0, -1), `${good}x`];
const keys = [...split('one "one" o"ne ! , " "" "one "o\\ne" '), ' ', 'x'.repeat(255), 'x'.repeat(256)];

const member = fc
  .tuple(fc.constantFrom(...split('name weight status id __proto__ constructor Name')), fc.constantFrom(...values))
  .map(([name, value]) => `"${name}":${value}`);
const goodMember = fc.constantFrom('"name":"Block"', '"weight":7', '"status":"sold"');
const object = fc
  .array(fc.oneof({ weight: 2, arbitrary: goodMember }, member), { maxLength: 5 })
  .map((members) => `{${members.join(', ')}}`);
const target = fc
  .tuple(
    fc.oneof(
      fc.constant('/v1/toys'),
      fc.constantFrom(...ids).map((id) => `/v1/toys/${id}`),
      fc.constantFrom(...paths),
    ),
    fc.option(fc.array(fc.constantFrom(...pairs), { maxLength: 4 })),
  )
  .map(([path, query]) => (query === null ? path : `${path}?${query.join('&')}`));
const method = fc.constantFrom(...split('GET GET GET GET GET HEAD PUT OPTIONS get'));
const idempotencyKey = fc.constantFrom(...keys);

/** The server reads a body only if the operation has one and the client is authorized. */
const anyRequest: fc.Arbitrary<TriedRequest> = fc.oneof(
  fc.record({ method, target }),
  fc
    .record(
      {
        query: fc.constantFrom('', '?page=1', '?'),
        body: fc.oneof({ weight: 6, arbitrary: object }, fc.constantFrom(...bodies), fc.json()),
        idempotencyKey,
      },
      { requiredKeys: ['query'] },
    )
    .map(({ query, ...sent }) => ({ method: 'POST', target: `/v1/toys${query}`, ...sent })),
);

/** openapi-backend with the compiled router and validator, against openapi-backend as its README sets it up. */
describe('openapi-backend with the compiled router and validator', () => {
  for (const [reason, example, concerns, ours, stock] of deviations)
    it(`differs from openapi-backend: ${reason}`, async () => {
      const results = await tryBoth(example);
      expect(concerns(example)).to.equal(true);
      expect(isDeepStrictEqual(results.ours, reconciled(results.stock)), 'no difference').to.equal(false);
      if (ours !== 'any') expect(results.ours.kind).to.equal(ours);
      if (stock !== 'any') expect(results.stock.kind).to.equal(stock);
    });

  it('handles generated requests like openapi-backend, except for the listed differences', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const { ours, stock } = await tryBoth(request);
        seen.add(ours.kind === 'handled' ? ours.id : ours.kind);
        expect(isExplained(request, ours, reconciled(stock)), inspect({ ours, stock })).to.equal(true);
      }),
      { numRuns: 5000 },
    );
    const kinds = ['unknown path', 'unknown method', 'invalid'];
    expect([...seen]).to.include.members(['listToys', 'createToy', 'getToy', 'listParts', ...kinds]);
  });
});

function isExplained(request: TriedRequest, ours: BackendResult, stock: BackendResult): boolean {
  const isAs = (result: BackendResult, kind: string) => kind === 'any' || kind === result.kind;
  const concerned = deviations.filter(([, , concerns]) => concerns(request));
  return (
    isDeepStrictEqual(ours, stock) || concerned.some(([, , , one, other]) => isAs(ours, one) && isAs(stock, other))
  );
}
