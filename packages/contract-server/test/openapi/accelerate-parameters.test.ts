import { expect } from 'chai';
import type { Options } from 'openapi-backend';
import { expectSame, recorder } from './differential/both-backends.js';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const response = { 200: { description: 'x' } };
const operation = (...parameters: object[]) => ({ operationId: 'listToys', parameters, responses: response });
const query = (name: string, members: object) => ({ name, in: 'query', ...members });
const path = (...names: string[]) => names.map((name) => ({ name, in: 'path', required: true, schema: text }));

/** A document with one path, which both versions of the instance handle. */
const definition = (template: string, ...parameters: object[]) =>
  ({
    openapi: '3.0.4',
    info: { title: 'Toys', version: '1.0.0' },
    paths: { [template]: { get: operation(...parameters) } },
  }) as unknown as Options['definition'];

const handlers = Object.fromEntries(['listToys', 'notFound', 'validationFail'].map((id) => [id, recorder(id)]));
const options: Partial<Options> = { coerceTypes: false, handlers, securityHandlers: {} };

/** The parameters, and the targets that both versions handle in the same way, with their handlers. */
const table: Readonly<
  Record<
    string,
    readonly [document: () => Options['definition'], ...cases: (readonly [target: string, handler: string])[]]
  >
> = {
  'arrays with explode: false': [
    () => definition('/toys', query('tag', { explode: false, schema: texts })),
    ['/v1/toys?tag=a,b', 'listToys'],
    ['/v1/toys?tag=a', 'listToys'],
    ['/v1/toys', 'listToys'],
  ],
  'pipes and blanks': [
    () =>
      definition(
        '/toys',
        query('tag', { style: 'pipeDelimited', explode: false, schema: texts }),
        query('name', { style: 'spaceDelimited', explode: false, schema: texts }),
      ),
    ['/v1/toys?tag=a%7Cb&name=c%20d', 'listToys'],
  ],
  deepObject: [
    () =>
      definition(
        '/toys',
        query('filter', {
          style: 'deepObject',
          schema: { type: 'object', additionalProperties: false, properties: { a: text } },
        }),
      ),
    ['/v1/toys?filter[a]=1', 'listToys'],
    ['/v1/toys?filter[b]=1', 'validationFail'],
  ],
  'segments of text and parameters': [
    () => definition('/toys/{id}.json', ...path('id')),
    ['/v1/toys/7.json', 'listToys'],
    ['/v1/toys/7.json.json', 'listToys'],
    ['/v1/toys/7xjson', 'notFound'],
    ['/v1/toys/.json', 'notFound'],
  ],
  'segments of two parameters': [
    () => definition('/toys/{a}:{b}', ...path('a', 'b')),
    ['/v1/toys/x:y', 'listToys'],
    ['/v1/toys/x:y:z', 'listToys'],
    ['/v1/toys/:y', 'notFound'],
  ],
};

describe('accelerate, for parameters that openapi-backend parses by their style', () => {
  for (const [title, [document, ...cases]] of Object.entries(table))
    it(`handles requests as before: ${title}`, async () => {
      for (const [target, handler] of cases) {
        const request = { method: 'GET', path: target, headers: {} };
        const names = await expectSame({ definition: document(), ...options }, request);
        expect(names, target).to.deep.equal([handler]);
      }
    });
});
