import { expect } from 'chai';
import { operationsOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { coverageOf, missingFrom } from '../support/contract/coverage.js';
import { contractPage, contractSummary } from '../support/contract/coverage-report.js';

const { document } = await readContract(contractUrl);
const response = (name: string, ...headers: string[]) =>
  [name, ...headers.map((header) => `${name}: ${header}`)].map((seen) => [seen, 2] as const);
const everyCode = Object.keys(document['x-error-codes']).map((code) => [`error code ${code}`, 1] as const);

describe('the coverage report of the contract', () => {
  it('lists every status of every operation and every error code as missing if there were no responses', () => {
    const missing = missingFrom(coverageOf(document, new Map()));
    expect(missing).to.include.members(['listPets 200', 'getPet 410', 'no operation 505', 'error code not_ready']);
    const statuses = operationsOf(document).flatMap(({ operation }) => Object.keys(operation.responses));
    const expected = [
      statuses,
      Object.keys(document['x-service-responses']),
      Object.keys(document['x-document-responses']),
      everyCode,
    ].flat();
    expect(missing).to.have.lengthOf(expected.length);
  });

  it('lists a declared header as missing if only responses with another status had it', () => {
    const common = [
      'x-request-id',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'ratelimit-policy',
      'ratelimit',
    ];
    const seen = new Map([
      ...response('listPets 200', ...common),
      ...response('createPet 415', ...common, 'accept', 'link'),
      ...everyCode,
    ]);
    const missing = missingFrom(coverageOf(document, seen));
    expect(missing.filter((name) => /^(listPets 200|createPet 415|error)/.test(name))).to.deep.equal([
      'listPets 200: Link',
      'createPet 415: Accept-Encoding',
    ]);
  });

  it('is a table for the terminal and an HTML page, which show what is missing', () => {
    const coverage = coverageOf(document, new Map(response('listPets 200', 'x-request-id')));
    expect(contractSummary(coverage)).to.match(/^listPets +1 of 6 +1 of 40$/m);
    const page = contractPage(coverage);
    expect(page).to.contain('<td class="times">2</td><td class="seen" title="X-Request-Id: 2 times">✓</td>');
    expect(page).to.contain('<td class="missing">0</td>').and.contain('<li class="missing">not_ready');
    expect(page).to.not.match(/<(script|link|img)|https?:/);
  });
});
