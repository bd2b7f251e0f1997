import { expect } from 'chai';
import { contractOf } from '#src/contract/contract.js';
import type { ContractDocument } from '#src/contract/document.js';
import { operationsOf } from '#src/contract/operations.js';
import { publishedDocument } from '#src/contract/published-document.js';
import { changedContract } from '../support/contract/changed-contract.js';
import { smallContract } from '../support/contract/small-contract.js';

describe('publishedDocument', () => {
  const operation = (id: string, contract = smallContract) =>
    operationsOf(publishedDocument(contractOf(contract), contract['x-error-codes']) as ContractDocument)
      .map(({ operation }) => operation as { readonly operationId?: string })
      .find(({ operationId }) => operationId === id);

  it('does not change the contract of the server', () => {
    const copy = structuredClone(smallContract);
    publishedDocument(contractOf(smallContract), smallContract['x-error-codes']);
    expect(smallContract).to.deep.equal(copy);
  });

  it('lists the relative server first, and the others in their order', () => {
    const urls = publishedDocument(contractOf(smallContract), smallContract['x-error-codes']).servers?.map(
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
    const { servers: ofDocument, paths } = publishedDocument(contractOf(contract), {});
    const item = paths['/pets'];
    for (const listed of [ofDocument, item?.servers, item?.get?.servers])
      expect(listed?.map(({ url }) => url)).to.deep.equal(['/v1', secure.url, 'https://pets.example/v1']);
  });

  it('adds the stability and the error codes of each operation to its description, and extensions of tools', () => {
    for (const [id, description, level, shown, badges] of [
      ['listPets', 'Lists.\n\nStability: **stable**.', 'stable', 'stable', ['stable']],
      ['createPet', 'Stability: **experimental**.', 'draft', 'experimental', ['experimental']],
      [
        'getPet',
        '[Error codes](#tag/error-codes): `pet_not_found`.',
        ...(['stable', 'deprecated', ['stable', 'deprecated']] as const),
      ],
    ] as const)
      expect(operation(id)).to.deep.include({
        description,
        'x-stability-level': level,
        'x-scalar-stability': shown,
        'x-badges': badges.map((name) => ({ name })),
      });
    const numbered = JSON.parse(
      JSON.stringify(smallContract).replaceAll('"code":"pet_not_found"', '"code":404'),
    ) as unknown;
    expect(operation('getPet', numbered as ContractDocument)).to.deep.include({ description: '' });
    const beta = changedContract(['paths', '/pets', 'get', 'x-stability'], 'beta', smallContract);
    expect(operation('listPets', beta)).to.deep.include({
      description: 'Lists.\n\nStability: **beta**.',
      'x-stability-level': 'beta',
      'x-scalar-stability': 'experimental',
    });
  });

  it('contains the examples of responses themselves, which viewers would show as references', () => {
    const text = JSON.stringify(publishedDocument(contractOf(smallContract), smallContract['x-error-codes']));
    expect(text)
      .to.contain('"examples":{"none":{"value":{"code":"pet_not_found"')
      .and.not.contain('#/components/examples');
  });

  it('describes the plans, the rules of bans, and each error code in one table after the operations', () => {
    const { info, tags } = publishedDocument(contractOf(smallContract), smallContract['x-error-codes']);
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
