import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { responseOf, success } from '../support/contract/response.js';
import { startService, useNewService } from '../support/servers/service.js';

interface Page {
  readonly ids: readonly number[];
  /** The target of the next page, as the `Link` header gives it. */
  readonly next: string | undefined;
}

const states = ['available', 'pending', 'sold'] as const;

describe('listPets', () => {
  const service = useNewService();

  const add = async (count: number, status?: string) => {
    for (let index = 0; index < count; index += 1) {
      await service.stores.pets.insert({ name: 'Rex', categoryId: 7, status: (status ?? 'available') as 'available' });
    }
  };
  const read = async (target: string): Promise<Page> => {
    const response = await request(service).get(target).expect(200);
    const link = /^<([^>]*)>; rel="next"$/.exec(response.get('link') ?? '')?.[1];
    if (link !== undefined) expect(link).to.match(new RegExp(`^${service.baseUrl}/pets\\?`));
    const next = link?.slice(new URL(service.baseUrl).origin.length);
    return { ids: (response.body as { id: number }[]).map(({ id }) => id), next };
  };
  const readAll = async (target: string): Promise<Page[]> => {
    const pages = [await read(target)];
    for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) pages.push(await read(next));
    return pages;
  };
  const ids = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

  it('returns an empty array and no link if there are no pets', async () => {
    expect(responseOf(await request(service).get('/v1/pets'))).to.deep.equal(success(200, []));
  });

  it('returns complete pets in ascending order of id', async () => {
    await service.stores.pets.insert({ name: 'Rex', categoryId: 7, status: 'available' });
    await service.stores.pets.insert({ name: 'Mia', categoryId: -3, status: 'sold' });
    expect(responseOf(await request(service).get('/v1/pets'))).to.deep.equal(
      success(200, [
        { id: 1, name: 'Rex', categoryId: 7, status: 'available' },
        { id: 2, name: 'Mia', categoryId: -3, status: 'sold' },
      ]),
    );
  });

  it('defaults to a limit of 20, and keeps it in the link', async () => {
    await add(21);
    const pages = await readAll('/v1/pets');
    expect(pages.map((page) => page.ids)).to.deep.equal([ids(1, 20), [21]]);
    expect(pages[0]?.next).to.match(/^\/v1\/pets\?limit=20&cursor=[\w-]+$/);
  });

  it('accepts every limit from 1 to 100', async () => {
    await add(101);
    for (const limit of [1, 2, 99, 100]) {
      expect((await read(`/v1/pets?limit=${String(limit)}`)).ids).to.deep.equal(ids(1, limit));
    }
  });

  it('links to the next page until the last one, also if the total is a multiple of the limit', async () => {
    await add(6);
    const sizes = async (limit: number) =>
      (await readAll(`/v1/pets?limit=${String(limit)}`)).map((page) => page.ids.length);
    expect(await sizes(1)).to.deep.equal([1, 1, 1, 1, 1, 1]);
    expect(await sizes(2)).to.deep.equal([2, 2, 2]);
    expect(await sizes(4)).to.deep.equal([4, 2]);
    expect(await sizes(5)).to.deep.equal([5, 1]);
    expect(await sizes(6)).to.deep.equal([6]);
    expect(await sizes(7)).to.deep.equal([6]);
  });

  it('returns only the pets with a status, on all pages', async () => {
    for (let round = 0; round < 4; round += 1) for (const status of states) await add(1, status);
    for (const [index, status] of states.entries()) {
      const pages = await readAll(`/v1/pets?limit=3&status=${status}`);
      expect(pages.map((page) => page.ids)).to.deep.equal([[index + 1, index + 4, index + 7], [index + 10]]);
      expect(pages[0]?.next).to.include(`status=${status}`);
    }
  });

  it('returns an empty array for a status without pets', async () => {
    await add(1, 'sold');
    expect(responseOf(await request(service).get('/v1/pets?status=pending'))).to.deep.equal(success(200, []));
  });

  it('lists pets that are added between two pages at the end', async () => {
    await add(3);
    const first = await read('/v1/pets?limit=2');
    await add(2);
    const rest = await readAll(first.next ?? '');
    expect([first, ...rest].flatMap((page) => page.ids)).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('links from the former last page once more pets follow', async () => {
    await add(2);
    expect((await read('/v1/pets?limit=2')).next).to.equal(undefined);
    await add(1);
    const pages = await readAll('/v1/pets?limit=2');
    expect(pages.map((page) => page.ids)).to.deep.equal([[1, 2], [3]]);
  });

  it('accepts a cursor with another limit, and more than once', async () => {
    await add(5);
    const cursor =
      new URL((await read('/v1/pets?limit=2')).next ?? '', service.baseUrl).searchParams.get('cursor') ?? '';
    expect((await read(`/v1/pets?limit=1&cursor=${cursor}`)).ids).to.deep.equal([3]);
    expect((await read(`/v1/pets?cursor=${cursor}`)).ids).to.deep.equal([3, 4, 5]);
    expect((await read(`/v1/pets?cursor=${cursor}`)).ids).to.deep.equal([3, 4, 5]);
  });

  it('accepts a percent-encoded query, and skips empty pairs', async () => {
    await add(2, 'sold');
    expect((await read('/v1/pets?%6Cimit=%31&&status=s%6fld&')).ids).to.deep.equal([1]);
  });

  it('links to PUBLIC_BASE_URL, whatever the Host header contains', async () => {
    const published = await startService({ PUBLIC_BASE_URL: 'https://pets.example/shop/v1' });
    try {
      for (const name of ['Rex', 'Mia']) await published.stores.pets.insert({ name, categoryId: 7, status: 'sold' });
      const response = await request(published).get('/v1/pets?limit=1').set('Host', 'evil.example').expect(200);
      expect(response.get('link')).to.match(
        /^<https:\/\/pets\.example\/shop\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
      );
    } finally {
      await published.close();
    }
  });
});
