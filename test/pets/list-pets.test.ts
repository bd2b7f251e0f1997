import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { responseOf, success } from '@contract-server/test-support/contract/response.js';
import { serviceServers } from '@contract-server/test-support/servers/service-servers.js';
import { expect } from 'chai';
import supertest from 'supertest';
import { stringify } from 'yaml';
import { request } from '../support/clients/request.js';
import { document } from '../support/contract/document.js';
import { definition } from '../support/pet-store.js';
import { rex } from '../support/pets.js';
import { startService, useNewService } from '../support/servers/service.js';

interface Page {
  readonly ids: readonly number[];
  /** The target of the next page, as the `Link` header gives it. */
  readonly next: string | undefined;
}

const states = ['available', 'pending', 'sold'] as const;

describe('listPets', () => {
  const service = useNewService();

  const add = async (count: number, status: (typeof states)[number] = 'available') => {
    await Promise.all(Array.from({ length: count }, () => service.stores.application.pets.insert({ ...rex, status })));
  };
  const read = async (target: string): Promise<Page> => {
    const response = await request(service).get(target).expect(200);
    const link = /^<([^>]*)>; rel="next"$/.exec(response.get('link') ?? '')?.[1];
    if (link !== undefined) expect(link).to.match(new RegExp(`^${service.baseUrl}/pets\\?`));
    const next = link?.slice(new URL(service.baseUrl).origin.length);
    return { ids: (response.body as { id: number }[]).map(({ id }) => id), next };
  };
  const readAll = async (target: string): Promise<(readonly number[])[]> => {
    const { ids, next } = await read(target);
    return next === undefined ? [ids] : [ids, ...(await readAll(next))];
  };
  const ids = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

  it('returns an empty array and no link if there are no pets, or none with the status', async () => {
    expect(responseOf(await request(service).get('/v1/pets'))).to.deep.equal(success(200, []));
    await add(1, 'sold');
    expect(responseOf(await request(service).get('/v1/pets?status=pending'))).to.deep.equal(success(200, []));
  });

  it('returns complete pets in ascending order of id', async () => {
    const mia = { name: 'Mia', categoryId: -3, status: 'sold' } as const;
    for (const pet of [rex, mia]) await service.stores.application.pets.insert(pet);
    const expected = [rex, mia].map((pet, index) => ({ id: index + 1, ...pet }));
    expect(responseOf(await request(service).get('/v1/pets'))).to.deep.equal(success(200, expected));
  });

  it('defaults to a limit of 20, and keeps it in the link', async () => {
    await add(21);
    expect(await readAll('/v1/pets')).to.deep.equal([ids(1, 20), [21]]);
    expect((await read('/v1/pets')).next).to.match(/^\/v1\/pets\?limit=20&cursor=[\w-]+$/);
  });

  it('accepts a limit from 1 to 100', async () => {
    await add(101);
    for (const limit of [1, 2, 99, 100])
      expect((await read(`/v1/pets?limit=${String(limit)}`)).ids).to.deep.equal(ids(1, limit));
  });

  it('links to the next page until the last one, also if the total is a multiple of the limit', async () => {
    await add(6);
    const pageSizes = { 1: [1, 1, 1, 1, 1, 1], 2: [2, 2, 2], 4: [4, 2], 5: [5, 1], 6: [6], 7: [6] };
    for (const [limit, sizes] of Object.entries(pageSizes)) {
      const pages = await readAll(`/v1/pets?limit=${limit}`);
      expect(pages.map((page) => page.length)).to.deep.equal(sizes);
    }
  });

  it('returns only the pets with a status, on all pages', async () => {
    for (let round = 0; round < 4; round += 1) for (const status of states) await add(1, status);
    for (const [index, status] of states.entries()) {
      const target = `/v1/pets?limit=3&status=${status}`;
      expect(await readAll(target)).to.deep.equal([[index + 1, index + 4, index + 7], [index + 10]]);
      expect((await read(target)).next).to.include(`status=${status}`);
    }
  });

  it('lists pets that are added between two pages at the end', async () => {
    await add(2);
    expect(await read('/v1/pets?limit=2')).to.deep.equal({ ids: [1, 2], next: undefined });
    await add(1);
    const { next = '' } = await read('/v1/pets?limit=2');
    await add(2);
    expect(await readAll(next)).to.deep.equal([[3, 4], [5]]);
  });

  it('accepts a cursor with another limit, and more than once', async () => {
    await add(5);
    const { next = '' } = await read('/v1/pets?limit=2');
    const cursor = String(new URL(next, service.baseUrl).searchParams.get('cursor'));
    expect((await read(`/v1/pets?limit=1&cursor=${cursor}`)).ids).to.deep.equal([3]);
    for (let time = 0; time < 2; time += 1)
      expect(await readAll(`/v1/pets?cursor=${cursor}`)).to.deep.equal([[3, 4, 5]]);
  });

  it('accepts a percent-encoded query, and skips empty pairs', async () => {
    await add(2, 'sold');
    expect((await read('/v1/pets?%6Cimit=%31&&status=s%6fld&')).ids).to.deep.equal([1]);
  });

  it('links to PUBLIC_BASE_URL, whatever the Host header contains', async () => {
    Object.assign(service, await startService({ PUBLIC_BASE_URL: 'https://pets.example/shop/v1' }));
    await add(2);
    const response = await request(service).get('/v1/pets?limit=1').set('Host', 'evil.example').expect(200);
    const link = /^<https:\/\/pets\.example\/shop\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/;
    expect(response.get('link')).to.match(link);
  });

  it('links to the next page below a PUBLIC_BASE_URL without a path, if the contract has no path prefix', async () => {
    const { servers: _servers, ...withoutPrefix } = document;
    const { url: contract } = place({ 'contract.yaml': stringify(withoutPrefix) });
    const { startServer } = await serviceServers({ ...definition, contract });
    Object.assign(service, await startServer({ PUBLIC_BASE_URL: 'https://pets.example' }));
    await add(2);
    const get = (path: string) => supertest(service.server).get(path).auth(service.token, { type: 'bearer' });
    const response = await get('/pets?limit=1').expect(200);
    const [, path = ''] = /^<https:\/\/pets\.example(\/pets\?.+)>; rel="next"$/.exec(response.get('link') ?? '') ?? [];
    expect((await get(path).expect(200)).body).to.deep.equal([{ id: 2, ...rex, status: 'available' }]);
  });
});
