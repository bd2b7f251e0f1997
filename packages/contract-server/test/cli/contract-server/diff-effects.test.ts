import { expect } from 'chai';
import { contractWith, found, json, properties, released } from './tree-contracts.js';

describe('contract-server diff', function () {
  this.timeout(60_000);

  const optional = { name: 'deep', in: 'query', schema: { type: 'boolean' } };
  const dry = { name: 'dry', in: 'query', schema: { type: 'boolean' } };
  const nullable = { ...properties, name: { type: ['string', 'null'], maxLength: 9 } };
  const cases: readonly (readonly [title: string, after: object, changes: unknown[]])[] = [
    ['an equal contract', contractWith('1.2.3'), []],
    [
      'a removed operation',
      {
        ...released,
        paths: { '/trees': { get: { operationId: 'list', responses: { 204: { description: 'None' } } } } },
      },
      [
        ['breaking', 'putTree', '', 'operation removed'],
        ['non-breaking', 'list', '', 'operation added'],
      ],
    ],
    [
      'a required parameter',
      contractWith('1.3.0', {}, { parameters: [{ ...optional, required: true }, dry] }),
      [['breaking', 'putTree', '', 'query parameter deep added']],
    ],
    [
      'an optional parameter',
      contractWith('1.3.0', {}, { parameters: [optional, dry] }),
      [['non-breaking', 'putTree', '', 'query parameter deep added']],
    ],
    [
      'a changed parameter after an added one',
      contractWith('1.3.0', {}, { parameters: [optional, { ...dry, schema: { type: 'string' } }] }),
      [
        ['breaking', 'putTree', 'query parameter dry', 'type: "boolean" -> "string"'],
        ['non-breaking', 'putTree', '', 'query parameter deep added'],
      ],
    ],
    [
      'null as another type',
      contractWith('1.3.0', { properties: nullable }),
      [
        ['non-breaking', 'putTree', 'request body > name', 'type changed'],
        ['breaking', 'putTree', 'response 200 > name', 'type changed'],
      ],
    ],
    [
      'a required field',
      contractWith('1.3.0', { required: ['name'] }),
      [
        ['breaking', 'putTree', 'request body', 'required property "name" added'],
        ['non-breaking', 'putTree', 'response 200', 'required property "name" added'],
      ],
    ],
    [
      'a header of a response',
      contractWith(
        '1.3.0',
        {},
        {
          responses: {
            200: {
              description: 'The tree',
              headers: { ETag: { schema: { type: 'string' } } },
              content: json({ $ref: '#/components/schemas/Node' }),
            },
          },
        },
      ),
      [['non-breaking', 'putTree', 'response 200', 'header ETag added']],
    ],
    [
      'an extension of another tool',
      contractWith('1.2.4', {}, {}, { 'x-logo': 'tree.png' }),
      [['annotation', null, '', 'x-logo added: "tree.png"']],
    ],
    [
      'a plan',
      contractWith('1.3.0', {}, {}, { 'x-rate-limit-plans': { free: { requestsPerMinute: 1, requestsPerDay: 9 } } }),
      [
        ['breaking', null, '', 'plan unlimited removed: "unlimited"'],
        ['non-breaking', null, '', 'plan free added'],
        ['breaking', null, '', 'x-rate-limit-address-plan: "unlimited" -> "free"'],
      ],
    ],
  ];
  for (const [title, after, changes] of cases)
    it(`reports ${title}`, async () => {
      expect((await found(released, after)).changes).to.have.deep.members(changes);
    });
});
