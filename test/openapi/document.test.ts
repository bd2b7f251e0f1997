import { expect } from 'chai';
import { bodyRuleOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { createNdjsonValidator } from '#src/openapi/ndjson-validator.js';
import { changedContract } from '../support/changed-contract.js';

const { document } = await readContract(contractUrl);

describe('the rule for a request body', () => {
  it('is found behind a reference, and is the same where the body is written out', () => {
    const rule = bodyRuleOf(document, 'createPet');
    expect(rule).to.deep.equal({
      mediaType: 'application/json',
      bytesMax: 65_536,
      valuesMax: document['x-request-limits'].bodyValuesMax,
      schema: { $ref: '#/components/schemas/NewPet' },
    });
    const body = {
      'x-max-body-bytes': 65_536,
      content: { 'application/json': { schema: rule?.schema as { $ref: string } } },
    };
    expect(bodyRuleOf(changedContract(['paths', '/pets', 'post', 'requestBody'], body), 'createPet')).to.deep.equal(
      rule,
    );
  });

  it('is not there for an operation without a body, of which no lines can be read', () => {
    expect(bodyRuleOf(document, 'listPets')).to.equal(undefined);
    expect(() => createNdjsonValidator(document, 'listPets')).to.throw(TypeError, 'listPets has no body.');
  });

  it('cannot be behind a reference that leads nowhere', () => {
    const contract = changedContract(['components', 'requestBodies']);
    expect(() => bodyRuleOf(contract, 'createPet')).to.throw(
      TypeError,
      'The contract has no #/components/requestBodies/NewPet.',
    );
  });
});
