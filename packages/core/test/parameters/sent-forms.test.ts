import { echoApp, echoContract } from '@contract-server/test-support/contract/echo-app.js';
import { expect } from 'chai';
import supertest from 'supertest';

const object = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };
const integers = { type: 'array', items: { type: 'integer' } };
const jsonOf = (schema: object) => ({ content: { 'application/json': { schema } } });
const deep = { style: 'deepObject', schema: object };
const json = '{"a":1}';

/** What a query is described by that has another form than the parameter `filter`. */
const cases: readonly (readonly [title: string, parameter: object, query: string, message: string])[] = [
  ['JSON for deepObject', deep, `filter=${json}`, 'must be sent as `filter[a]=value`.'],
  ['a long text for deepObject', deep, `filter=${'x'.repeat(5000)}`, 'must be sent as `filter[a]=value`.'],
  ['two texts for deepObject', deep, 'filter=1&filter=2', 'must be sent as `filter[a]=value`.'],
  ['JSON for fields', { schema: object }, `filter=${json}`, 'must be sent as `a=value`.'],
  ['JSON for required fields', { required: true, schema: object }, `filter=${json}`, 'must be sent as `a=value`.'],
  ['JSON for one parameter', { explode: false, schema: object }, `filter=${json}`, 'must be sent as `filter=a,value`.'],
  ['two objects', { explode: false, schema: object }, 'filter=a,1&filter=a,2', 'must be sent only once.'],
  [
    'JSON between pipes',
    { style: 'pipeDelimited', explode: false, schema: object },
    `filter=${json}`,
    'must be sent as `filter=a|value`.',
  ],
  [
    'an object without fields',
    { style: 'deepObject', schema: { type: 'object' } },
    `filter=${json}`,
    'must be sent as `filter[name]=value`.',
  ],
  ['no JSON', jsonOf(object), 'filter=x', 'is not valid JSON: expected a value, at character 1.'],
  ['JSON of another type', jsonOf(object), 'filter=1', 'must be a JSON object.'],
  ['JSON that is an array', jsonOf(object), 'filter=[]', 'must be a JSON object.'],
  ['JSON that is no array', jsonOf(integers), 'filter={}', 'must be a JSON array.'],
  ['an array in JSON', { schema: integers }, 'filter=[1,2]', 'must be sent as `filter=item&filter=item`.'],
  [
    'an object in JSON for an array',
    { schema: integers },
    `filter=${json}`,
    'must be sent as `filter=item&filter=item`.',
  ],
  ['JSON between commas', { explode: false, schema: integers }, 'filter=[1,2]', 'must be sent as `filter=item,item`.'],
  [
    'JSON between blanks',
    { style: 'spaceDelimited', explode: false, schema: integers },
    'filter=[1]',
    'must be sent as `filter=item%20item`.',
  ],
];

describe('a parameter in another form than its style', () => {
  for (const [title, parameter, query, message] of cases)
    it(`is described by the form to send: ${title}`, async () => {
      const app = await echoApp(echoContract([{ name: 'filter', in: 'query', ...parameter }]));
      const response = await supertest(app)
        .get(`/items?${encodeURI(query)}`)
        .expect(400);
      expect(response.body).to.have.property('message', `\`filter\` ${message}`);
    });
});
