import { expect } from 'chai';
import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { operationsOf } from '#src/openapi/operations.js';
import { publishedDocument } from '#src/openapi/published-document.js';

type Operation = OpenAPIV3.OperationObject<Record<string, unknown>>;

describe('publishedDocument', () => {
  const read = async (changes: Readonly<Record<string, object>> = {}) => {
    const { document } = await readContract(contractUrl);
    for (const { operation } of operationsOf(document)) Object.assign(operation, changes[operation.operationId ?? '']);
    const readable = publishedDocument(document);
    const operations = operationsOf(readable as ContractDocument).map(({ operation }) => operation);
    const operation = (id: string) => operations.find(({ operationId }) => operationId === id) as unknown as Operation;
    return { document, readable, operation };
  };

  it('does not change the contract of the server', async () => {
    const { document } = await read();
    expect(document).to.deep.equal((await readContract(contractUrl)).document);
  });

  it('lists the relative server first, and the others in their order', async () => {
    const { readable } = await read();
    expect(readable.servers?.map(({ url, description }) => `${url} ${String(description)}`)).to.deep.equal([
      '/v1 The server that returned this document',
      'https://{host}/v1 Production',
      'https://{host}/v1 Staging. It has its own API keys.',
    ]);
  });

  it('adds the stability of each operation to its description and as extensions of tools', async () => {
    const { document, operation } = await read();
    for (const { operation: written } of operationsOf(document)) {
      const { 'x-stability': stability, operationId = '', description = '' } = written;
      const readable = operation(operationId);
      expect(readable.description)
        .to.match(new RegExp(`^Stability: \\*\\*${String(stability)}\\*\\*\\.\n`))
        .and.contain(description);
    }
    expect(operation('listPets')).to.deep.include({
      'x-stability-level': 'stable',
      'x-scalar-stability': 'stable',
      'x-badges': [{ name: 'stable' }],
    });
    expect(operation('listOrders')).to.deep.include({
      'x-stability-level': 'draft',
      'x-scalar-stability': 'experimental',
      'x-badges': [{ name: 'experimental' }],
    });
    expect(operation('getPet')).to.deep.include({
      'x-stability-level': 'stable',
      'x-scalar-stability': 'deprecated',
      'x-badges': [{ name: 'stable' }, { name: 'deprecated' }],
    });
  });

  it('adds nothing about error codes that an operation does not have', async () => {
    const description = 'Lists.';
    const { operation } = await read({
      listOrders: { description, 'x-stability': 'beta', responses: { 200: { description: 'x' } } },
    });
    expect(operation('listOrders')).to.deep.include({
      description: 'Stability: **beta**.\n\nLists.',
      'x-stability-level': 'beta',
      'x-scalar-stability': 'experimental',
    });
  });

  it('lists the error codes of each operation', async () => {
    const { document, operation } = await read();
    const { description } = operation('listOrders');
    expect(description)
      .to.match(/\n\nError codes: .*\[`not_implemented`\]\(#description\/not-implemented\), .*\.$/)
      .and.not.contain('pet_not_found');
    for (const { operation: written } of operationsOf(document)) {
      const [list = ''] = /Error codes: .*$/.exec(operation(written.operationId ?? '').description ?? '') ?? [];
      for (const [, code = ''] of list.matchAll(/`(\w+)`/g)) expect(document['x-error-codes']).to.have.property(code);
    }
  });

  it('contains the examples of responses themselves, which viewers would show as references', async () => {
    const { readable } = await read();
    expect(JSON.stringify(readable)).not.to.contain('#/components/examples/');
  });

  it('adds a table of the plans and the rules of bans', async () => {
    const { readable } = await read();
    const lines = readable.info.description?.split('\n') ?? [];
    expect(lines).to.include.members([
      '| Plan | Requests per minute | Requests per day |',
      '| free | 60 | 1,000 |',
      '| pro | 300 | 10,000 |',
      '| business | 1,000 | 100,000 |',
      '| enterprise | custom | custom |',
      'Requests without a valid API key are limited per client address, by the minute quota of the plan free.',
    ]);
    expect(readable.info.description)
      .to.contain('\n\n## Plans\n\n|')
      .and.contain(
        '\n\nIf more than 10 times the minute limit of an API key is rejected within one minute, the key is banned for 900 seconds.',
      );
  });

  it('describes each error code with status, cause and resolution, below a heading that viewers find', async () => {
    const { document, readable } = await read();
    for (const [code, { status, cause, resolution }] of Object.entries(document['x-error-codes'])) {
      const sentences = [`\`${code}\` has the status ${String(status)}.`, cause, resolution].join(' ');
      expect(readable.info.description).to.contain(`\n\n### ${code.replaceAll('_', ' ')}\n\n${sentences}`);
    }
  });
});
