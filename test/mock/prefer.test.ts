import { expect } from 'chai';
import { apiError, responseOf } from '../support/contract/response.js';
import { startMock, type TestMock } from '../support/servers/mock.js';

describe('the Prefer header of the mock server (RFC 7240)', () => {
  let mock: TestMock;
  before(async () => (mock = await startMock()));
  after(() => mock.close());

  const prefer = (preferences: string) => ({ headers: { Prefer: preferences } });
  const send = (preferences: string) => mock.send('/pets', prefer(preferences));
  const resultOf = async (
    preferences: string,
  ): Promise<[status: number, code: unknown, applied: string | undefined]> => {
    const response = await send(preferences);
    const body = JSON.parse(response.text) as { readonly code?: unknown };
    return [response.status, body.code, response.headers['preference-applied']];
  };

  it('selects the first example of a status', async () => {
    expect(await resultOf('code=503')).to.deep.equal([503, 'store_unavailable', 'code=503']);
  });

  it('selects an example by its name, of the first status that has it', async () => {
    const { status, text, headers } = await send('example=emptyPage');
    expect([status, text, headers['link']]).to.deep.equal([200, '[]', undefined]);
    expect(await resultOf('example=dailyQuotaExceeded')).to.deep.equal([
      429,
      'daily_quota_exceeded',
      'example=dailyQuotaExceeded',
    ]);
  });

  it('returns the headers of an example', async () => {
    const { headers } = await send('example=apiKeyBanned');
    const limits = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795176900', 'retry-after': '900' };
    expect(headers).to.include({ ...limits, ratelimit: '"minute";r=0;t=900, "day";r=1000;t=86400' });
    const invalid = await send('example=invalidApiKey');
    expect(invalid.headers).to.include({ 'www-authenticate': 'Bearer realm="petstore", error="invalid_token"' });
  });

  for (const form of [
    'code="429"',
    'Code=429',
    'CODE = 429',
    'code=429, respond-async, wait=0',
    'return=minimal;foo="some, thing; else", code=429',
    'code=429; foo; bar=1;',
    ', code=429,,',
    'code=429, code=503',
    'foo=""\t,code="4\\29"',
  ]) {
    it(`accepts ${form}`, async () => {
      expect((await resultOf(form)).slice(0, 2)).to.deep.equal([429, 'rate_limit_exceeded']);
    });
  }

  it('accepts preferences in several header lines', async () => {
    const headers = new Headers(prefer('respond-async').headers);
    headers.append('Prefer', 'code=429');
    expect(await resultOf(headers.get('Prefer') ?? '')).to.deep.equal([429, 'rate_limit_exceeded', 'code=429']);
  });

  it('ignores unknown preferences, without Preference-Applied', async () => {
    expect(await resultOf('respond-async, constructor=1, __proto__')).to.deep.equal([200, undefined, undefined]);
  });

  for (const form of [
    'code 429',
    'code=',
    '=429',
    'code==429',
    'code="429',
    'code=429 503',
    'code=[429]',
    ';code=429',
    'x;=',
    'é=1',
    '"code"=429',
  ]) {
    it(`returns 400 for ${form}, which is not a list of preferences`, async () => {
      const message = 'Header prefer must be a list of preferences like code=404, example=petNotFound.';
      expect(responseOf(await send(form))).to.deep.equal(apiError(400, 'invalid_request', message));
    });
  }

  it('returns 400 with the available statuses and examples for an unknown one', async () => {
    const messageOf = async (preferences: string) => {
      const response = await send(preferences);
      expect([response.status, response.headers['preference-applied']]).to.deep.equal([400, undefined]);
      return (JSON.parse(response.text) as { readonly message: unknown }).message;
    };
    const codes = '200, 400, 401, 404, 405, 408, 429, 500, 503';
    for (const code of ['418', '204', '2XX', 'code', 'toString']) {
      expect(await messageOf(`code=${code}`)).to.equal(`\`Prefer\`: unknown code \`${code}\`; listPets has: ${codes}.`);
    }
    const names = '; listPets has: 429 minuteQuotaExceeded dailyQuotaExceeded apiKeyBanned.';
    expect(await messageOf('code=429, example=emptyPage')).to.equal(
      `\`Prefer\`: unknown example \`emptyPage\`${names}`,
    );
    expect(await messageOf('example=petNotFound')).to.match(
      /^`Prefer`: unknown example `petNotFound`; listPets has: 200 twoPets emptyPage, 400 /,
    );
    expect(await messageOf(`code=${'4'.repeat(1000)}`)).to.include(`unknown code \`${'4'.repeat(64)}…\`;`);
    expect(await messageOf('code')).to.include('unknown code `""`;');
  });
});

describe('Prefer: wait of the mock server', () => {
  let mock: TestMock;
  const delays: number[] = [];
  before(async () => {
    mock = await startMock({}, (ms) => Promise.resolve(delays.push(ms)));
  });
  after(() => mock.close());

  const send = (preferences: string) => mock.send('/pets', { headers: { Prefer: preferences } });

  it('delays the response by a number of seconds', async () => {
    for (const preferences of ['wait=2', 'code=503, wait=20', 'wait=0']) {
      expect((await send(preferences)).headers['preference-applied']).to.equal(preferences);
    }
    expect(delays).to.deep.equal([2000, 20_000]);
  });

  it('rejects another delay', async () => {
    const message = '`Prefer`: wait must be an integer from 0 to 20.';
    for (const wait of ['21', '1.5', '-1', 'long', '']) {
      expect(responseOf(await send(`wait="${wait}"`)), wait).to.deep.equal(apiError(400, 'invalid_request', message));
    }
  });
});
