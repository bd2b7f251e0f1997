import { changedContract } from '@contract-server/test-support/contract/changed-contract.js';
import { smallContract } from '@contract-server/test-support/contract/small-contract.js';
import { expect } from 'chai';
import { contractOf } from '#dist/contract/contract.js';
import type { ContractDocument } from '#dist/contract/document.js';
import { operationsOf } from '#dist/contract/operations.js';
import { viewerDocument } from '#dist/contract/viewer-document.js';

describe('viewerDocument', () => {
  const operation = (id: string, contract = smallContract) =>
    operationsOf(viewerDocument(contractOf(contract), contract['x-error-codes']) as ContractDocument)
      .map(({ operation }) => operation as { readonly operationId?: string })
      .find(({ operationId }) => operationId === id);

  it('does not change the contract of the server', () => {
    const copy = structuredClone(smallContract);
    viewerDocument(contractOf(smallContract), smallContract['x-error-codes']);
    expect(smallContract).to.deep.equal(copy);
  });

  it('lists the relative server first, and the others in their order', () => {
    const urls = viewerDocument(contractOf(smallContract), smallContract['x-error-codes']).servers?.map(
      ({ url }) => url,
    );
    expect(urls).to.deep.equal(['/v1', 'https://pets.example/v1', 'http://staging.example/v1']);
  });

  it('lists the server with the path prefix first, also in a path and an operation', () => {
    const secure = { url: '{scheme}://pets.example/v2', variables: { scheme: { default: 'https' } } };
    const servers = [secure, { url: '/v1' }, { url: 'https://pets.example/v1' }];
    const contract = [['servers'], ['paths', '/pets', 'servers'], ['paths', '/pets', 'get', 'servers']].reduce(
      (changed, path) => changedContract(path, servers, changed),
      smallContract,
    );
    const { servers: ofDocument, paths } = viewerDocument(contractOf(contract), {});
    const item = paths['/pets'];
    for (const listed of [ofDocument, item?.servers, item?.get?.servers])
      expect(listed?.map(({ url }) => url)).to.deep.equal(['/v1', secure.url, 'https://pets.example/v1']);
  });

  it('adds the stability and the error codes of each operation to its description, and the extension of the viewer', () => {
    for (const [id, description, shown] of [
      ['listPets', 'Lists.\n\nStability: **stable**.', 'stable'],
      ['createPet', 'Stability: **experimental**.', 'experimental'],
      ['getPet', '[Error codes](#tag/error-codes): `pet_not_found`.', 'deprecated'],
    ] as const)
      expect(operation(id)).to.include({ description, 'x-scalar-stability': shown });
    const numbered = JSON.parse(
      JSON.stringify(smallContract).replaceAll('"code":"pet_not_found"', '"code":404'),
    ) as unknown;
    expect(operation('getPet', numbered as ContractDocument)).to.deep.include({ description: '' });
    const beta = changedContract(['paths', '/pets', 'get', 'x-stability'], 'beta', smallContract);
    expect(operation('listPets', beta)).to.include({
      description: 'Lists.\n\nStability: **beta**.',
      'x-scalar-stability': 'experimental',
    });
  });

  it('contains the examples of responses themselves, which the viewer would show as references', () => {
    const text = JSON.stringify(viewerDocument(contractOf(smallContract), smallContract['x-error-codes']));
    expect(text)
      .to.contain('"examples":{"none":{"value":{"code":"pet_not_found"')
      .and.not.contain('#/components/examples');
  });

  it('describes the plans, the rules of bans, and each error code in one table after the operations', () => {
    const { info, tags } = viewerDocument(contractOf(smallContract), smallContract['x-error-codes']);
    const { description } = info;
    expect(description?.split('\n\n')).to.deep.equal([
      'Small.',
      '## Plans',
      '| Plan | Requests per minute | Requests per day |\n| --- | --- | --- |\n| free | 60 | 1,000 |\n' +
        '| enterprise | custom | custom |',
      'Requests without a valid API key are limited per client address, by the minute quota of the plan free.',
      'If more than 10 times the minute limit of an API key is rejected within one minute, the key is banned for 900 seconds.',
    ]);
    expect(tags?.at(-1)).to.deep.equal({
      name: 'Error codes',
      description: [
        '| Code | Status | Cause | What to do |',
        '| --- | --- | --- | --- |',
        '| `pet_not_found` | 404 | There is none. | Check the id. |',
        '| `busy` | 503 |  |  |',
      ].join('\n'),
    });
  });
});
