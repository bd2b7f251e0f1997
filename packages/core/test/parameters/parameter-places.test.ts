import { echoApp, echoContract } from '@contract-server/test-support/contract/echo-app.js';
import { expect } from 'chai';
import supertest from 'supertest';

const integer = { type: 'integer' };
const integers = { type: 'array', items: integer };
const fields = { type: 'object', required: ['R'], properties: { R: integer, name: { type: 'string' } } };
const json = { content: { 'application/json': { schema: fields } } };

type Case = readonly [sent: string, result: unknown];
const mustBeInteger = 'must be an integer from -9007199254740991 to 9007199254740991.';

/** The parameter `p`, and what the handler receives for a text, or the message of a 400. */
const values: readonly (readonly [title: string, parameter: object, ...cases: Case[]])[] = [
  [
    'an array of the style simple',
    { schema: integers },
    ['1', [1]],
    ['1,2', [1, 2]],
    ['1,x', `400 \`p.1\` ${mustBeInteger}`],
    ['[1,2]', '400 `p` must be sent as `item,item`.'],
  ],
  [
    'an object of the style simple',
    { schema: fields },
    ['R,1,name,a', { R: 1, name: 'a' }],
    ['R,x', `400 \`p.R\` ${mustBeInteger}`],
  ],
  [
    'an exploded object of the style simple',
    { schema: fields, explode: true },
    ['R=1,name=a=b', { R: 1, name: 'a=b' }],
    ['R', '400 `p` must be sent as `R=value`.'],
  ],
];
const encoded: readonly Case[] = [['%31,2', [1, 2]]];

describe('parameters in the path', () => {
  for (const [title, parameter, ...cases] of values)
    it(`can be ${title}`, async () => {
      const app = await echoApp(echoContract([{ in: 'path', name: 'p', required: true, ...parameter }], '/items/{p}'));
      for (const [sent, result] of title.includes('array') ? [...cases, ...encoded] : cases)
        expect(await resultOf(supertest(app).get(`/items/${sent}`), 'path'), sent).to.deep.equal(result);
      await supertest(app).get('/items/%zz').expect(400);
    });
});

describe('parameters in headers', () => {
  for (const [title, parameter, ...cases] of values)
    it(`can be ${title}`, async () => {
      const app = await echoApp(echoContract([{ in: 'header', name: 'P', ...parameter }]));
      for (const [sent, result] of cases) {
        const expected = typeof result === 'string' ? result.replace('`p', '`P') : result;
        expect(
          await resultOf(supertest(app).get('/items').set('P', sent.replaceAll(',', ', ')), 'header'),
          sent,
        ).to.deep.equal(expected);
      }
      expect(await resultOf(supertest(app).get('/items'), 'header')).to.equal(undefined);
    });

  it('can be JSON', async () => {
    const app = await echoApp(echoContract([{ in: 'header', name: 'P', ...json }]));
    expect(await resultOf(supertest(app).get('/items').set('P', '{"R":1}'), 'header')).to.deep.equal({ R: 1 });
    expect(await resultOf(supertest(app).get('/items').set('P', '{'), 'header')).to.match(
      /^400 `p` is not valid JSON: /,
    );
  });
});

describe('parameters in cookies', () => {
  const scalar = { schema: { type: 'integer', default: 5 } };
  const tables: readonly (readonly [title: string, parameter: object, ...cases: Case[]])[] = [
    [
      'a number, with a default',
      scalar,
      ['p=7', 7],
      ['a=1; p=7; b=2', 7],
      ['p=%37', 7],
      ['q=7', 5],
      ['p=x', `400 \`p\` ${mustBeInteger}`],
      ['p=%zz', `400 \`p\` ${mustBeInteger}`],
    ],
    ['a text with an invalid escape', { schema: { type: 'string' } }, ['p=%zz', '%zz'], ['p=%C3%A9', 'é']],
    [
      'an array with explode: false',
      { schema: integers, explode: false },
      ['p=1,2', [1, 2]],
      ['p=1%2C2', `400 \`p.0\` ${mustBeInteger}`],
    ],
    ['an object with explode: false', { schema: fields, explode: false }, ['p=R,1', { R: 1 }]],
    ['JSON', json, ['p=%7B%22R%22:1%7D', { R: 1 }]],
    ['required', { ...scalar, required: true, schema: integer }, ['p=1', 1], ['q=1', '400 Missing cookie `p`.']],
    [
      'sent twice',
      scalar,
      ['p=1; q=2', 1],
      ...['p=1; p=1', 'p=1;p=2', 'p=1;\tp=2', 'p=1; q=1; p =2'].map(
        (sent) => [sent, '400 `p` must be sent only once.'] as const,
      ),
    ],
  ];
  for (const [title, parameter, ...cases] of tables)
    it(`can be ${title}`, async () => {
      const app = await echoApp(echoContract([{ in: 'cookie', name: 'p', ...parameter }]));
      for (const [cookie, result] of cases)
        expect(await resultOf(supertest(app).get('/items').set('Cookie', cookie), 'cookie'), cookie).to.deep.equal(
          result,
        );
    });

  it('are passed to the handler only if the contract declares them', async () => {
    const app = await echoApp(echoContract([{ in: 'cookie', name: '__proto__', schema: { type: 'string' } }]));
    const body: unknown = (await supertest(app).get('/items').set('Cookie', 'session=secret').expect(200)).body;
    expect(body).to.deep.equal({ path: {}, query: {}, header: {}, cookie: {} });
    const names = { in: 'cookie', name: 'constructor', explode: false, schema: { type: 'array' } };
    const named = await echoApp(echoContract([names]));
    expect((await supertest(named).get('/items').expect(200)).body).to.deep.equal(body);
    const plain = await echoApp(echoContract([]));
    expect((await supertest(plain).get('/items').set('Cookie', 'session=secret').expect(200)).body).to.deep.equal(body);
  });
});

/** What the handler receives as `p` in a place, or the message of an error. */
async function resultOf(sent: PromiseLike<supertest.Response>, place: string): Promise<unknown> {
  const response = await sent;
  const { status } = response;
  const body: unknown = response.body;
  const { message, [place]: values } = body as { readonly message?: string } & Readonly<Record<string, unknown>>;
  return status === 200 ? (values as { readonly p?: unknown }).p : `${String(status)} ${String(message)}`;
}
