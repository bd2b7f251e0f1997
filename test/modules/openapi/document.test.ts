import { expect } from 'chai';
import { type ContractDocument, findBodyRule, requireBodyRule } from '#src/openapi/document.js';
import type { OperationId } from '#src/openapi/types.js';

const schema = { $ref: '#/components/schemas/Thing' };
const body = { required: true, content: { 'application/json': { schema } } };
const bodies: Readonly<Record<string, object | undefined>> = {
  inline: body,
  referenced: { $ref: '#/components/requestBodies/Thing' },
  wrong: { $ref: '#/components/requestBodies/None' },
  none: undefined,
};
const document = {
  openapi: '3.0.4',
  components: { requestBodies: { Thing: body } },
  paths: Object.fromEntries(
    Object.entries(bodies).map(([operationId, requestBody]) => [
      `/${operationId}`,
      { post: { operationId, requestBody, responses: {} } },
    ]),
  ),
} as unknown as ContractDocument;

describe('findBodyRule', () => {
  const find = (id: string) => findBodyRule(document, id as OperationId);

  it('returns the same rule for a referenced body and an inline one', () => {
    const rule = { mediaType: 'application/json', bytesMax: 65_536, isRequired: true, schema };
    for (const id of ['referenced', 'inline']) expect(find(id)).to.deep.equal(rule);
  });

  it('returns undefined for an operation without a body, for which requireBodyRule throws', () => {
    expect(find('none')).to.equal(undefined);
    expect(() => requireBodyRule(document, 'none' as OperationId)).to.throw(TypeError, 'none has no body.');
  });

  it('throws if the reference does not resolve', () => {
    expect(() => find('wrong')).to.throw(TypeError, 'The contract has no #/components/requestBodies/None.');
  });
});
