import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { rex } from '../support/pets.js';
import { useService } from '../support/servers/service.js';

const badLimit = '`limit` must be an integer from 1 to 100.';
const badStatus = '`status` must be one of: available, pending, sold.';
const badCursor = '`cursor` must have 1 to 200 characters.';
const repeated = (name: string) => `\`${name}\` must be sent only once.`;
const unknown = (name: string) => `Unknown query parameter \`${name}\`; allowed: \`limit\`, \`status\`, \`cursor\`.`;
const names = (count: number) => Array.from({ length: count }, (_, index) => `p${String(index)}`);
const tenNames = names(10).map(unknown).join(' ');
const tooMany = 'The query must have at most 100 parameters.';

const limits = '0 101 -1 0x10 1e1 +5 %2B5 %205 5%20 007 1.0 -0 ten %00 %D9%A5 18446744073709551617'.split(' ');
const invalid: readonly (readonly [message: string, ...queries: string[]])[] = [
  [badLimit, 'limit', 'limit=', ...[...limits, '9'.repeat(5000)].map((limit) => `limit=${limit}`)],
  [badStatus, ...['Sold', 'sold%20', 'unknown', '', 'available,sold'].map((status) => `status=${status}`)],
  [badCursor, 'cursor=', `cursor=${'x'.repeat(201)}`],
  [repeated('limit'), 'limit=5&limit=5', 'limit=5&'.repeat(100)],
  [repeated('status'), 'status=sold&status=sold'],
  [repeated('cursor'), 'cursor=a&cursor=a'],
  ...['page', 'Limit', 'limit[]', 'status[0]', 'constructor', '__proto__', 'toString', 'a/b', 'a~b'].map(
    (name) => [unknown(name), `${encodeURIComponent(name)}=1`] as const,
  ),
  [`${unknown('page')} ${badLimit} ${badStatus}`, 'limit=0&status=gone&page=2'],
  [tenNames, names(10).join('&')],
  [`${tenNames} And 2 more.`, names(12).join('=1&')],
  [`${tenNames} And 90 more.`, `&&${names(100).join('&')}&`],
  [tooMany, `${names(100).join('&')}&limit=5`, 'limit=5&'.repeat(101), '%zz&'.repeat(101)],
  [unknown('n'.repeat(64)), `${'n'.repeat(64)}=1`],
  [unknown(`${'🐕'.repeat(64)}…`), `${encodeURIComponent('🐕'.repeat(65))}=1`],
];

describe('listPets rejects', () => {
  const service = useService();
  before(async () => {
    for (const status of ['available', 'sold', 'available'] as const)
      await service.stores.application.pets.insert({ ...rex, status });
  });

  const get = async (query: string) => responseOf(await request(service).get(`/v1/pets?${query}`));

  for (const [message, ...queries] of invalid)
    it(`${queries.join(' or ').slice(0, 60)}: ${message.slice(0, 120)}`, async () => {
      for (const query of queries)
        expect(await get(query), query).to.deep.equal(apiError(400, 'invalid_request', message));
    });

  it('a parameter that is an API key, which it does not repeat', async () => {
    expect((await get(`${service.token}=1`)).body).to.include({ message: unknown('pets_live_…') });
  });

  it('a percent escape that cannot be decoded', async () => {
    const message = 'The URL has an invalid percent-encoding. Encode a percent sign as %25.';
    for (const query of 'limit=% limit=%5 cursor=%zz cursor=%ff %=1 status=%c3%28 status=%ed%a0%80'.split(' '))
      expect(await get(query), query).to.deep.equal(apiError(400, 'malformed_url', message));
  });

  it('a cursor that was issued for another filter, was changed, or was never issued', async () => {
    const cursorOf = async (query: string) => {
      const response = await request(service).get(`/v1/pets?${query}`).expect(200);
      return /cursor=([\w-]+)>/.exec(response.get('link') ?? '')?.[1] ?? '';
    };
    const [cursor, available] = [await cursorOf('limit=1'), await cursorOf('limit=1&status=available')];
    for (const issued of [cursor, `${available}&status=available`])
      expect((await get(`cursor=${issued}`)).status).to.equal(200);
    const message =
      'The cursor is invalid for this list. Request the first page without a cursor, and follow the next links unchanged.';
    const others = [`${cursor}&status=available`, `${available}&status=sold`, available, `${cursor}A`, `${cursor}=`];
    for (const other of [...others, cursor.slice(0, -1), '1', 'MQ', '%00', '%F0%9F%90%95', 'x'.repeat(200)])
      expect(await get(`cursor=${other}`), other).to.deep.equal(apiError(400, 'invalid_cursor', message));
  });
});
