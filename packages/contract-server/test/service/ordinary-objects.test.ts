import { anyJson, echoApp } from '@contract-server/test-support/contract/echo-app.js';
import { expect } from 'chai';
import supertest from 'supertest';
import { stringify } from 'yaml';

const fields = { type: 'object', properties: { a: {}, b: { type: 'object' } } };
const content = Object.fromEntries(
  ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((type) => [
    type,
    { schema: fields },
  ]),
);
const parameters = [
  { name: 'deep', in: 'query', style: 'deepObject', schema: fields },
  { name: 'flat', in: 'query', explode: false, schema: fields },
  { name: 'form', in: 'query', schema: { type: 'object', properties: { c: {} } } },
  { name: 'json', in: 'query', content: { 'application/json': { schema: fields } } },
  { name: 'p', in: 'cookie', explode: false, schema: fields },
];
const contract = stringify({
  openapi: '3.1.1',
  info: { title: 'Echo', version: '1.0.0' },
  paths: { '/items': { post: { operationId: 'echo', parameters, requestBody: { content }, responses: anyJson } } },
});
const query = 'deep[b][c]=1&flat=a,1&c=1&json={"b":{"c":[{}]}}';

/** The objects in a value, itself included. */
function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value, ...inner];
}

describe('the objects that a handler receives', () => {
  const bodies: Readonly<Record<string, (test: supertest.Test) => supertest.Test>> = {
    JSON: (test) => test.set('Content-Type', 'application/json').send('{"a":[{}],"b":{"__proto__":{"isAdmin":true}}}'),
    'a form': (test) => test.type('form').send('a=1&b[c][d]=1'),
    'a multipart body': (test) => test.field('a', '1').field('b', '{"c":{}}'),
  };
  for (const [title, send] of Object.entries(bodies))
    it(`have the methods of every object: ${title}`, async () => {
      let received: Readonly<Record<string, unknown>> = {};
      const echo = (request: Readonly<Record<string, unknown>>) => {
        received = request;
        return Promise.resolve({ status: 200, body: {} });
      };
      const app = await echoApp(contract, { handlers: { echo } });
      const { status, text } = await send(supertest(app).post(`/items?${query}`).set('Cookie', 'p=a,1'));
      expect(status, text).to.equal(200);
      const { path, query: sentQuery, header, cookie, body } = received;
      const objects = objectsIn([path, sentQuery, header, cookie, body]);
      expect(objects.length).to.be.above(10);
      for (const object of objects) {
        expect(object).to.be.instanceOf(Object);
        expect(Object.getPrototypeOf(object)).to.equal(Object.prototype);
        // eslint-disable-next-line @typescript-eslint/no-base-to-string -- an object without a prototype throws
        expect(String(object)).to.equal('[object Object]');
        expect(Object.prototype.hasOwnProperty.call(object, 'hasOwnProperty')).to.equal(false);
      }
      expect(({} as { readonly isAdmin?: unknown }).isAdmin).to.equal(undefined);
    });
});
