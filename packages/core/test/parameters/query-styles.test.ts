import { echoApp, echoContract } from '@contract-server/test-support/contract/echo-app.js';
import { expect } from 'chai';
import supertest from 'supertest';

type Case = readonly [query: string, result: string];

const integers = { type: 'array', items: { type: 'integer', format: 'int64' } };
const text = { type: 'string' };
const texts = { type: 'array', items: text };
const color = {
  type: 'object',
  required: ['R'],
  properties: { R: { type: 'integer' }, G: { type: 'integer' }, name: text, tags: texts },
};
const open = { type: 'object', properties: { R: { type: 'integer' } }, additionalProperties: { type: 'boolean' } };
const nested = {
  type: 'object',
  additionalProperties: false,
  properties: {
    price: { type: 'object', required: ['min'], properties: { min: { type: 'number' }, max: { type: 'number' } } },
    ids: integers,
    tags: texts,
    sold: { type: 'boolean' },
    name: text,
  },
};
const invalid = (message: string) => `400 ${message}`;

/** The parameter, and the query that the handler receives, or the message of a 400. */
const table: Readonly<Record<string, readonly [parameter: object, ...cases: Case[]]>> = {
  'an array with explode: false has items between commas': [
    { name: 'id', explode: false, schema: integers },
    ['id=1,2', '{"id":[1,2]}'],
    ['id=9223372036854775807', '{"id":[9223372036854775807]}'],
    ['id=1,2&id=3', '{"id":[1,2,3]}'],
    ['', '{}'],
    ['id=1,x', invalid('`id.1` must be an integer from -9223372036854775808 to 9223372036854775807.')],
    ['id=1,1e1', invalid('`id.1` must be an integer from -9223372036854775808 to 9223372036854775807.')],
    ['id=', invalid('`id.0` must be an integer from -9223372036854775808 to 9223372036854775807.')],
    ['id=1%2C2', invalid('`id.0` must be an integer from -9223372036854775808 to 9223372036854775807.')],
    ['ID=1', invalid('Unknown query parameter `ID`; allowed: `id`.')],
    [`id=${','.repeat(1000)}`, invalid('`id` must have at most 1000 items.')],
    ['id=%zz', invalid('The URL has an invalid percent-encoding. Encode a percent sign as %25.')],
  ],
  'JSON is a value, which is sent once': [
    { name: 'j', content: { 'application/json': { schema: { type: 'array' } } } },
    ['j=[1]', '{"j":[1]}'],
    ['j=[]', '{"j":[]}'],
    ['j=[[1],[2]]', '{"j":[[1],[2]]}'],
    ['j=[1]&j=[2]', invalid('`j` must be sent only once.')],
    ['j=[', invalid('`j` is not valid JSON: unexpected end of JSON, after 1 characters.')],
    [`j=[${'1,'.repeat(1000)}1]`, invalid('`j` has more than 1000 values.')],
  ],
  'an encoded comma is part of an item': [
    { name: 'tag', explode: false, schema: texts },
    ['tag=a%2Cb,c+d,%C3%A9', '{"tag":["a,b","c d","é"]}'],
    ['t%61g=a,b', '{"tag":["a","b"]}'],
  ],
  'an array with spaceDelimited has items between blanks': [
    { name: 'tag', style: 'spaceDelimited', explode: false, schema: texts },
    ['tag=a%20b+c,d', '{"tag":["a","b","c,d"]}'],
  ],
  'an array with pipeDelimited has items between pipes': [
    { name: 'tag', style: 'pipeDelimited', schema: texts },
    ['tag=a|b%7Cc%7cd,e', '{"tag":["a","b","c","d,e"]}'],
  ],
  'an exploded object has a parameter for each property': [
    { name: 'color', schema: color },
    ['R=100&G=200&name=a+b&tags=x', '{"color":{"R":100,"G":200,"name":"a b","tags":["x"]}}'],
    ['tags=x&R=1&tags=y', '{"color":{"tags":["x","y"],"R":1}}'],
    ['color=1&R=2', invalid('`color` must be sent as `R=value`.')],
    ['', '{}'],
    ['G=1', invalid('Missing query parameter `R`.')],
    ['R=x', invalid('`R` must be an integer from -9007199254740991 to 9007199254740991.')],
    ['R=1&R=2', invalid('`R` must be sent only once.')],
    ['R=1&B=2', invalid('Unknown query parameter `B`; allowed: `R`, `G`, `name`, `tags`.')],
    ['__proto__=1', invalid('Unknown query parameter `__proto__`; allowed: `R`, `G`, `name`, `tags`.')],
    ['color=red', invalid('`color` must be sent as `R=value`.')],
  ],
  'a required exploded object reports its properties as missing': [
    { name: 'color', required: true, schema: color },
    ['', invalid('Missing query parameter `R`.')],
  ],
  'an exploded object with additional properties has every other parameter': [
    { name: 'color', schema: open },
    ['R=1&dark=true&constructor=false', '{"color":{"R":1,"dark":true,"constructor":false}}'],
    ['dark=1', invalid('`dark` must be true or false.')],
  ],
  'an object with explode: false has names and values between commas': [
    { name: 'color', explode: false, schema: color },
    ['color=R,100,G,200,name,a%2Cb', '{"color":{"R":100,"G":200,"name":"a,b"}}'],
    ['color=R', invalid('`color` must be sent as `color=R,value`.')],
    ['color=R,x', invalid('`color.R` must be an integer from -9007199254740991 to 9007199254740991.')],
    ['color=G,1', invalid('Missing query parameter `color.R`.')],
  ],
  'a deepObject has a parameter with brackets for each value': [
    { name: 'filter', style: 'deepObject', schema: nested },
    [
      'filter[price][min]=0.5&filter%5Bprice%5D%5Bmax%5D=2&filter[sold]=true&filter[name]=5%26+6',
      '{"filter":{"price":{"min":0.5,"max":2},"sold":true,"name":"5& 6"}}',
    ],
    ['filter[ids][]=9007199254740993&filter[ids][]=2', '{"filter":{"ids":[9007199254740993,2]}}'],
    ['filter[tags]=a', '{"filter":{"tags":["a"]}}'],
    ['filter[tags]=a&filter[tags]=b', '{"filter":{"tags":["a","b"]}}'],
    ['', '{}'],
    ['filter[price][min]=1e1', invalid('`filter[price][min]` must be a number.')],
    ['filter[price][max]=1', invalid('Missing query parameter `filter[price][min]`.')],
    ['filter[sold]=1', invalid('`filter[sold]` must be true or false.')],
    [
      'filter[x]=1',
      invalid(
        'Unknown query parameter `filter[x]`; allowed: `filter[price]`, `filter[ids]`, `filter[tags]`, `filter[sold]`, ' +
          '`filter[name]`.',
      ),
    ],
    ['filter=1', invalid('`filter` must be sent as `filter[ids]=value`.')],
    ['filters[x]=1', invalid('Unknown query parameter `filters[x]`; allowed: `filter`.')],
    ['filter[name]=%zz', invalid('The URL has an invalid percent-encoding. Encode a percent sign as %25.')],
    [`filter${'[a]'.repeat(7)}=1`, invalid('`filter` must have at most 5 levels, and arrays of at most 100 items.')],
    ['filter[tags][1000]=a', invalid('`filter` must have at most 5 levels, and arrays of at most 100 items.')],
    [Array<string>(101).fill('filter[tags][]=a').join('&'), invalid('The query must have at most 100 parameters.')],
    ['filter[tags][1]=b&filter[tags][0]=a&filter[tags][]=c', '{"filter":{"tags":["a","b","c"]}}'],
    ['filter[tags][1]=b', '{"filter":{"tags":["b"]}}'],
    ['filter[name]x=1', invalid('Unknown query parameter `filter[name]x`; allowed: `filter`.')],
    ['filter[name=1', invalid('Unknown query parameter `filter[name`; allowed: `filter`.')],
    ['filter[name]=a&filter[name][b]=c', invalid('`filter[name]` must be sent only once.')],
    [
      'filter[__proto__]=1',
      invalid(
        'Unknown query parameter `filter[__proto__]`; allowed: `filter[price]`, `filter[ids]`, `filter[tags]`, ' +
          '`filter[sold]`, `filter[name]`.',
      ),
    ],
  ],
  'a deepObject can have any name, if it is a map': [
    { name: 'stock', style: 'deepObject', schema: { type: 'object', additionalProperties: { type: 'integer' } } },
    ['stock[10]=1&stock[2000]=2', '{"stock":{"10":1,"2000":2}}'],
    ['stock[__proto__]=1', '{"stock":{"__proto__":1}}'],
    ['stock[a%26b]=1', '{"stock":{"a&b":1}}'],
    ['stock[]=1', invalid('`stock` must be sent as `stock[name]=value`.')],
    ['stock[a%5Db]=1', invalid('Unknown query parameter `stock[a]b]`; allowed: `stock`.')],
  ],
  'a parameter of JSON is parsed, with exact integers': [
    { name: 'q', content: { 'application/json': { schema: { type: 'object', properties: { id: integers.items } } } } },
    ['q=%7B%22id%22:9223372036854775807%7D', '{"q":{"id":9223372036854775807}}'],
    [
      'q=%7B%22id%22:%221%22%7D',
      invalid('`q.id` must be an integer from -9223372036854775808 to 9223372036854775807.'),
    ],
    ['q=1', invalid('`q` must be a JSON object.')],
  ],
  'an empty value with allowEmptyValue is that of an omitted parameter, unless it is text': [
    { name: 'page', allowEmptyValue: true, schema: { type: 'integer', default: 1 } },
    ['page=', '{"page":1}'],
    ['page', '{"page":1}'],
    ['page=2', '{"page":2}'],
    ['page=x', invalid('`page` must be an integer from -9007199254740991 to 9007199254740991.')],
  ],
  'an empty text with allowEmptyValue is a text': [
    { name: 'q', allowEmptyValue: true, schema: text },
    ['q=', '{"q":""}'],
  ],
  'a value or an object with deepObject can be either': [
    {
      name: 'created',
      style: 'deepObject',
      schema: { anyOf: [{ type: 'integer' }, { type: 'object', properties: { gt: { type: 'integer' } } }] },
    },
    ['created=5', '{"created":5}'],
    ['created[gt]=5', '{"created":{"gt":5}}'],
  ],
};

describe('parameters of the query', () => {
  for (const [title, [parameter, ...cases]] of Object.entries(table))
    it(title, async () => {
      const app = await echoApp(echoContract([{ in: 'query', ...parameter }]));
      for (const [query, result] of cases) {
        const response = await supertest(app).get(`/items?${query}`);
        const { status, text: sent } = response;
        const body: unknown = response.body;
        const { message, query: received } = body as { readonly message?: string; readonly query?: unknown };
        const actual =
          status === 200
            ? (/"query":(.*),"header"/.exec(sent)?.[1] ?? received)
            : `${String(status)} ${String(message)}`;
        expect(actual, query).to.equal(result);
      }
    });

  it('of several styles are parsed beside each other', async () => {
    const parameters = [
      { in: 'query', name: 'filter[a]', schema: text },
      { in: 'query', name: 'filter', style: 'deepObject', schema: { type: 'object' } },
      { in: 'query', name: 'color', schema: color },
      { in: 'query', name: 'ids', explode: false, schema: integers },
    ];
    const app = await echoApp(echoContract(parameters));
    const body: unknown = (await supertest(app).get('/items?filter[a]=1&filter[b]=2&R=3&ids=4,5').expect(200)).body;
    expect((body as { readonly query: unknown }).query).to.deep.equal({
      'filter[a]': '1',
      filter: { b: '2' },
      color: { R: 3 },
      ids: [4, 5],
    });
  });

  it('reports text that is not JSON with its place', async () => {
    const app = await echoApp(echoContract([{ in: 'query', name: 'q', content: { 'application/json': {} } }]), {
      errors: { body: ({ violations }) => violations },
    });
    const body: unknown = (await supertest(app).get('/items?q=x').expect(400)).body;
    const [violation] = body as readonly { readonly message: string }[];
    expect(violation).to.include({ in: 'query', pointer: '/q' });
    expect(violation?.message).to.match(/^`q` is not valid JSON: /);
  });
});
