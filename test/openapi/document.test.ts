import { expect } from 'chai';
import { findBodyRule, requireBodyRule } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { changedContract } from '../support/contract/changed-contract.js';

const { document } = await readContract(contractUrl);

describe('findBodyRule', () => {
  it('returns the same rule for a referenced body and an inline one', () => {
    const rule = findBodyRule(document, 'createPet');
    expect(rule).to.deep.equal({
      mediaType: 'application/json',
      bytesMax: 65_536,
      isRequired: true,
      schema: { $ref: '#/components/schemas/NewPet' },
    });
    const body = {
      required: true,
      content: { 'application/json': { schema: rule?.schema as { $ref: string } } },
    };
    expect(findBodyRule(changedContract(['paths', '/pets', 'post', 'requestBody'], body), 'createPet')).to.deep.equal(
      rule,
    );
  });

  it('returns undefined for an operation without a body, for which requireBodyRule throws', () => {
    expect(findBodyRule(document, 'listPets')).to.equal(undefined);
    expect(() => requireBodyRule(document, 'listPets')).to.throw(TypeError, 'listPets has no body.');
  });

  it('throws if the reference does not resolve', () => {
    const contract = changedContract(['paths', '/pets', 'post', 'requestBody'], {
      $ref: '#/components/requestBodies/Zzz',
    });
    expect(() => findBodyRule(contract, 'createPet')).to.throw(
      TypeError,
      'The contract has no #/components/requestBodies/Zzz.',
    );
  });
});
