import { expect } from 'chai';
import { createPetstoreClient } from '#src/client/petstore-client.js';
import { request } from '../support/clients/request.js';
import { startMock } from '../support/servers/mock.js';
import { closeService, startService } from '../support/servers/service.js';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const params = { path: { petId: 1 } };

interface Entry {
  readonly operationId?: string;
  readonly 'x-codeSamples'?: readonly unknown[];
}

describe('the client, for operations that were just added', () => {
  it('calls them on the service', async () => {
    const service = await startService();
    const client = createPetstoreClient({ baseUrl: service.baseUrl, apiKey: service.token });
    await client.createPet({ name: 'Rex', categoryId: 7 });
    const body = { status: 'sold' } as const;
    expect((await client.request('patch', '/pets/{petId}', { params, body })).data.status).to.equal('sold');
    const query = { name: ['Rex', 'Mia'] };
    const found = await client.request('get', '/search/pets', { params: { query } });
    expect(found.data).to.deep.equal([{ ...rex, status: 'sold' }]);
    expect((await client.request('delete', '/pets/{petId}', { params })).data).to.equal(undefined);
    expect((await client.listPets()).pets).to.deep.equal([]);
    await closeService(service);
  });

  it('calls them on the mock server', async () => {
    const mock = await startMock();
    const client = createPetstoreClient({ baseUrl: mock.baseUrl, apiKey: 'anything' });
    const { data } = await client.request('patch', '/pets/{petId}', { params, body: { name: 'Max' } });
    expect(data).to.deep.equal({ ...rex, status: 'sold' });
    const query = { name: ['Mia', 'Tom'] };
    expect((await client.request('get', '/search/pets', { params: { query } })).data).to.have.lengthOf(1);
    expect((await client.request('delete', '/pets/{petId}', { params })).response.status).to.equal(204);
    await mock.close();
  });

  it('finds them in the API reference', async () => {
    const service = await startService();
    const { text } = await request(service).get('/openapi.json').expect(200);
    await request(service).get('/docs').expect(200);
    const { paths } = JSON.parse(text) as { readonly paths: Readonly<Record<string, Readonly<Record<string, Entry>>>> };
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    for (const id of ['deletePet', 'updatePet', 'searchPets']) {
      const found = operations.find(({ operationId }) => operationId === id);
      expect(found?.['x-codeSamples'], id).to.have.lengthOf(4);
    }
    await service.close();
  });
});
