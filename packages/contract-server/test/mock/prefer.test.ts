import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { useMock } from '@contract-server/test-support/servers/mocked-service.js';
import { expect } from 'chai';

describe('the Prefer header of the mock server (RFC 7240)', () => {
  const delays: number[] = [];
  const mock = useMock({}, (ms) => Promise.resolve(delays.push(ms)));

  const send = (preferences: string) => mock.send('/toys', { headers: { Prefer: preferences } });

  for (const [preferences, ...expected] of [
    // The first example of a status, and an example by its name, of the first status that has it.
    ['code=503', 503, 'store_unavailable', 'code=503'],
    ['example=dailyQuotaExceeded', 429, 'daily_quota_exceeded', 'example=dailyQuotaExceeded'],
    ['example=emptyPage', 200, undefined, 'example=emptyPage'],
    // Unknown preferences.
    ['respond-async, constructor=1, __proto__', 200, undefined, undefined],
    // The syntax of a list of preferences.
    ...[
      ...['code="429"', 'Code=429', 'CODE = 429', 'code=429, respond-async', 'code=429; foo; bar=1;', ', code=429,,'],
      ...['return=minimal;foo="some, thing; else", code=429', 'code=429, code=503', 'foo=""\t,code="4\\29"'],
    ].map((form) => [form, 429, 'rate_limit_exceeded', 'code=429'] as const),
  ] as const)
    it(`accepts ${preferences}, and returns ${String(expected[0])}`, async () => {
      const { status, text, headers } = await send(preferences);
      const { code } = JSON.parse(text) as { readonly code?: unknown };
      expect([status, code, headers['preference-applied']]).to.deep.equal(expected);
    });

  it('returns the headers of an example', async () => {
    const { headers } = await send('example=apiKeyBanned');
    const limits = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795176900', 'retry-after': '900' };
    expect(headers).to.include({ ...limits, ratelimit: '"minute";r=0;t=900, "day";r=1000;t=86400' });
    const invalid = await send('example=invalidApiKey');
    expect(invalid.headers).to.include({ 'www-authenticate': 'Bearer realm="toys", error="invalid_token"' });
  });

  it('announces a removal only for deprecated operations, which share responses with the others', async () => {
    const announced = ['deprecation', 'sunset', 'link'];
    for (const code of ['401', '500', '503']) {
      const headers = { Prefer: `code=${code}` };
      expect((await mock.send('/toys', { headers })).headers).to.not.have.any.keys(announced);
      expect((await mock.send('/toys/1', { headers })).headers).to.include.all.keys(announced);
    }
  });

  it('delays the response by the number of seconds of wait', async () => {
    for (const preferences of ['wait=2', 'code=503, wait=20', 'wait=0'])
      expect((await send(preferences)).headers['preference-applied']).to.equal(preferences);
    expect(delays).to.deep.equal([2000, 20_000]);
  });

  const syntax = '`Prefer` must be a list of preferences, such as code=404, wait=2.';
  const codes = '200, 400, 401, 404, 405, 408, 429, 500, 503';
  const invalidForms = ['code 429', 'code=', '=429', 'code==429', 'code="429', 'code=429 503', 'code=[429]'];
  for (const [preferences, message] of [
    ...[...invalidForms, ';code=429', 'x;=', 'é=1', '"code"=429'].map((form) => [form, syntax] as const),
    ...['418', '204', '2XX', 'code', 'toString'].map(
      (code) => [`code=${code}`, `\`Prefer\`: unknown code \`${code}\`; listToys has: ${codes}.`] as const,
    ),
    [`code=${'4'.repeat(99)}`, `\`Prefer\`: unknown code \`${'4'.repeat(64)}…\`; listToys has: ${codes}.`],
    ['code', `\`Prefer\`: unknown code \`""\`; listToys has: ${codes}.`],
    [
      'code=429, example=emptyPage',
      '`Prefer`: unknown example `emptyPage`; listToys has: 429 minuteQuotaExceeded dailyQuotaExceeded apiKeyBanned.',
    ],
    ...['21', '1.5', '-1', 'long', ''].map(
      (wait) => [`wait="${wait}"`, '`Prefer`: wait must be an integer from 0 to 20.'] as const,
    ),
  ] as const)
    it(`returns 400 for ${preferences}`, async () => {
      expect(responseOf(await send(preferences))).to.deep.equal(apiError(400, 'invalid_request', message));
    });

  it('returns 400 with the examples of every status for an unknown one', async () => {
    const { message } = JSON.parse((await send('example=toyNotFound')).text) as { readonly message: string };
    expect(message).to.match(/^`Prefer`: unknown example `toyNotFound`; listToys has: 200 twoToys emptyPage, 400 /);
  });
});
