import { expect } from 'chai';
import { bodyKindsOf } from '#dist/bodies/body-formats.js';
import { bodyRulesOf, selectBodyRule } from '#dist/bodies/request-body.js';
import { contractOf, requireOperation } from '#dist/contract/contract.js';
import type { ContractDocument } from '#dist/contract/document.js';
import { schemasOf } from '#dist/contract/schemas.js';

const schema = { $ref: '#/components/schemas/Thing' };
const body = { required: true, content: { 'application/json': { schema } } };
const bodies: Readonly<Record<string, object | undefined>> = {
  inline: body,
  referenced: { $ref: '#/components/requestBodies/Thing' },
  large: { ...body, 'x-max-body-bytes': 1_000_000, 'x-max-body-values': 20_000 },
  none: undefined,
};
/** A contract with an operation for each body. */
const compile = (requestBodies: typeof bodies) =>
  contractOf({
    openapi: '3.0.4',
    components: { requestBodies: { Thing: body } },
    paths: Object.fromEntries(
      Object.entries(requestBodies).map(([operationId, requestBody]) => [
        `/${operationId}`,
        { post: { operationId, requestBody, responses: {} } },
      ]),
    ),
  } as unknown as ContractDocument);

describe('bodyRulesOf', () => {
  const contract = compile(bodies);
  const find = (id: string) => bodyRulesOf(contract, requireOperation(contract, id));

  it('returns the same rule for a referenced body and an inline one', () => {
    const limits = { bytesMax: 65_536, valuesMax: 1000, isRequired: true };
    const rule = { name: 'application/json', mediaType: 'application/json', kind: 'json', ...limits, schema };
    for (const id of ['referenced', 'inline']) {
      expect(find(id)).to.have.length(1);
      expect(find(id)[0]).to.deep.include(rule);
    }
  });

  it('has the limits of the body', () => {
    expect(find('large')[0]).to.include({ bytesMax: 1_000_000, valuesMax: 20_000 });
  });

  it('returns no rule for an operation without a body', () => {
    expect(find('none')).to.deep.equal([]);
  });

  it('needs references that resolve', () => {
    const wrong = { $ref: '#/components/requestBodies/None' };
    expect(() => compile({ wrong })).to.throw(TypeError, 'The contract has no #/components/requestBodies/None.');
  });
});

describe('bodyKindsOf', () => {
  const version = { openapi: '3.0.4' };

  it('decides by the media type and, for a range that includes JSON, by the schema', () => {
    const kinds: readonly (readonly [kind: string, ...mediaTypes: string[]])[] = [
      ['json', 'application/json', 'application/vnd.api+json; version=1', 'text/json', 'application/*+json'],
      ['json', 'model/gltf+json', 'Application/JSON ;charset=utf-8'],
      ['form', 'application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=utf-8'],
      ['multipart', 'multipart/form-data', 'multipart/*'],
      ['text', 'text/plain', 'application/xml', 'application/atom+xml', 'application/x-ndjson', 'application/jsonl'],
      ['file', 'application/octet-stream', 'image/png', 'image/*', 'multipart/mixed', 'application/pdf'],
    ];
    for (const [kind, ...mediaTypes] of kinds)
      for (const each of mediaTypes)
        expect(bodyKindsOf(schemasOf(version), each, { type: 'object' }), each).to.deep.equal([kind]);
    for (const file of [{}, { type: 'string', format: 'binary' }])
      for (const range of ['*/*', 'application/*'])
        expect(bodyKindsOf(schemasOf(version), range, file), range).to.deep.equal(['file']);
  });

  it('reads JSON lines as an array, if the schema describes one, and as text otherwise', () => {
    for (const [type, kind] of [
      ['array', 'lines'],
      ['string', 'text'],
      ['object', 'text'],
    ])
      for (const mediaType of ['application/x-ndjson', 'application/jsonl', 'application/jsonlines'])
        expect(bodyKindsOf(schemasOf(version), mediaType, { type }), `${mediaType} ${String(type)}`).to.deep.equal([
          kind,
        ]);
  });
});

describe('selectBodyRule', () => {
  const types = ['*/*', 'application/*', 'application/*+json', 'application/xml', 'image/*', 'image/png'];
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'object' } }]));
  const contract = compile({ any: { content } });

  it('returns the rule of the most specific media type', () => {
    const rules = bodyRulesOf(contract, requireOperation(contract, 'any'));
    const selected = (mediaType: string) => selectBodyRule(rules, mediaType)?.name;
    expect(selected('image/png')).to.equal('image/png');
    expect(selected('image/gif')).to.equal('image/*');
    expect(selected('application/xml')).to.equal('application/xml');
    expect(selected('application/problem+json')).to.equal('application/*+json');
    expect(selected('application/json')).to.equal('application/*');
    expect(selected('text/json')).to.equal('*/*');
    expect(selected('application/pdf')).to.equal('application/*');
    expect(selected('font/woff')).to.equal('*/*');
  });
});
