import { expect } from 'chai';
import { assertMockConforms } from '../support/contract/conformance.js';
import { startMock, type TestMock } from '../support/servers/mock.js';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const mia = { id: 2, name: 'Mia', categoryId: -3, status: 'sold' };

describe('the lists of the mock server', () => {
  let mock: TestMock;
  before(async () => (mock = await startMock()));
  after(() => mock.close());

  const get = async (path: string, preferences = '') => {
    const response = await mock.send(path, preferences === '' ? {} : { headers: { Prefer: preferences } });
    const { 'preference-applied': _applied, ...headers } = response.headers;
    assertMockConforms('GET', `/v1${path}`, { ...response, headers });
    const { link = '' } = response.headers;
    const next = /^<(.+)>; rel="next"$/.exec(link)?.[1]?.slice(mock.baseUrl.length);
    return { status: response.status, body: JSON.parse(response.text) as unknown, next };
  };

  it('have at most limit items, and a link to the next page with the others', async () => {
    const first = await get('/pets?limit=1');
    expect(first.body).to.deep.equal([rex]);
    expect(first.next).to.match(/^\/pets\?limit=1&cursor=[\w-]+$/);
    const second = await get(String(first.next));
    expect([second.body, second.next]).to.deep.equal([[mia], undefined]);
  });

  it('have no link on the last page', async () => {
    for (const path of ['/pets', '/pets?limit=2', '/pets?limit=100']) {
      expect(await get(path)).to.deep.equal({ status: 200, body: [rex, mia], next: undefined });
    }
  });

  it('have the items whose field equals the parameter of this name', async () => {
    expect(await get('/pets?status=sold')).to.deep.equal({ status: 200, body: [mia], next: undefined });
    expect(await get('/pets?status=available&limit=1')).to.deep.equal({ status: 200, body: [rex], next: undefined });
    expect(await get('/pets?status=pending')).to.deep.equal({ status: 200, body: [], next: undefined });
  });

  it('reject a cursor of another filter, and one that is not a cursor of the mock server', async () => {
    const { next = '' } = await get('/pets?limit=1');
    const cursor = new URLSearchParams(next.split('?')[1]).get('cursor') ?? '';
    for (const query of [`cursor=${cursor}&status=sold`, 'cursor=x', `cursor=${cursor}x`]) {
      const { status, body } = await get(`/pets?${query}`);
      expect([status, (body as { code: string }).code], query).to.deep.equal([400, 'invalid_cursor']);
    }
  });

  it('are the whole example if Prefer selects one', async () => {
    const { body, next } = await get('/pets?limit=1&status=sold', 'example=twoPets');
    expect(body).to.deep.equal([rex, mia]);
    expect(next).not.to.equal(undefined);
    expect((await get('/pets?limit=1', 'example=emptyPage')).body).to.deep.equal([]);
    expect((await get('/pets?limit=1', 'code=200')).body).to.deep.equal([rex]);
  });
});
