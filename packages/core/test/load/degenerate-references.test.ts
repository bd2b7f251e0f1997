import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { info, load, responses } from '@contract-server/test-support/contract/loaded-sentences.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { loadDocument } from '#dist/load/load-document.js';

const a = '#/components/schemas/A';
const b = '#/components/schemas/B';
const itself = (reference: string) => `\`$ref: ${reference}\` leads to itself; write what it describes.`;
const whole = (reference: string) => `\`$ref: ${reference}\` leads to the whole document; refer to a part of it.`;
const several = (reference: string) => `\`$ref: ${reference}\` leads to several parts; refer to one of them.`;
const json = (schema: object, more: object = {}) => ({ content: { 'application/json': { schema, ...more } } });

describe('a reference that describes nothing', () => {
  const schemas = (components: object) => ({ paths: {}, components: { schemas: components } });
  const operation = (changes: object) => ({ paths: { '/x': { get: { operationId: 'x', responses, ...changes } } } });
  for (const [contract, ...problems] of [
    [schemas({ A: { $ref: a } }), itself(a)],
    [schemas({ A: { $ref: b }, B: { $ref: a } }), itself(b), itself(a)],
    [schemas({ A: { $ref: b, type: 'object' }, B: { $ref: a, minProperties: 1 } }), itself(b), itself(a)],
    [schemas({ A: { $ref: '#' } }), whole('#')],
    [schemas({ A: { $ref: '' } }), whole('')],
    [schemas({ A: { $ref: '#/' } }), whole('#/')],
    [schemas({ A: { $ref: 'api.yaml' } }), whole('api.yaml')],
    [schemas({ A: { properties: { b: { $ref: './api.yaml#' } } } }), whole('./api.yaml#')],
    [
      schemas({ A: { $ref: '#/components/schemas/%zz' } }),
      '`$ref: #/components/schemas/%zz` has an invalid percent escape.',
    ],
    [operation({ parameters: [{ $ref: '#' }] }), `x: ${whole('#')}`],
    [
      operation({ parameters: [{ $ref: '#/paths/~1x/get/parameters/0' }] }),
      `x: ${itself('#/paths/~1x/get/parameters/0')}`,
    ],
    [operation({ requestBody: { $ref: '#' } }), `x: ${whole('#')}`],
    [operation({ responses: { 200: { $ref: '#' } } }), `x: ${whole('#')}`],
    [{ paths: { '/x': { $ref: '#' } } }, `/x: ${whole('#')}`],
    [{ paths: { '/x': { $ref: '#/paths/~1x' } } }, `/x: ${itself('#/paths/~1x')}`],
    [{ paths: { $ref: '#' } }, whole('#')],
    // Names that a document defines can be those of data.
    ...['value', 'default', 'example', 'enum', 'const', 'x-a'].flatMap((name) => [
      [schemas({ A: { properties: { [name]: { $ref: '#' } } } }), whole('#')] as const,
      [schemas({ [name]: { $ref: `#/components/schemas/${name}` } }), itself(`#/components/schemas/${name}`)] as const,
    ]),
    [operation({ responses: { default: { $ref: '#' } } }), `x: ${whole('#')}`],
    [operation({ responses: { 200: { description: '', headers: { value: { $ref: '#' } } } } }), `x: ${whole('#')}`],
    [operation({ callbacks: { value: { $ref: '#' } } }), `x: ${whole('#')}`],
    [{ paths: {}, components: { parameters: { default: { $ref: '#' } } } }, whole('#')],
    [
      operation({ responses: { 200: { description: '', ...json({}, { examples: { a: { $ref: '#' } } }) } } }),
      `x: ${whole('#')}`,
    ],
    [
      { paths: {}, components: { examples: { a: { $ref: '#/components/examples/a' } } } },
      itself('#/components/examples/a'),
    ],
    [schemas({ A: { $ref: `${a}/properties/b` } }), itself(`${a}/properties/b`)],
    [schemas({ A: { properties: { b: { $ref: '#/components/schemas' } } } }), several('#/components/schemas')],
    [schemas({ A: { properties: { b: { $ref: '#/paths' } } } }), several('#/paths')],
    // Redocly follows it.
    [{ paths: {}, 'x-a': { $ref: '#/x-a' } }, itself('#/x-a')],
  ] as const)
    it(`is refused in a sentence: ${JSON.stringify(contract)}`, async () => {
      expect(await load(contract)).to.deep.equal({ problems });
      expect(await load(contract, '3.0.4')).to.deep.equal({ problems });
    });

  const response = (schema: object) => operation({ responses: { 200: { description: '', ...json(schema) } } });
  for (const [contract, files, ...problems] of [
    [response({ $ref: 'b.yaml' }), { 'b.yaml': { items: { $ref: 'api.yaml' } } }, `b.yaml:2:3 x: ${whole('api.yaml')}`],
    [
      response({ $ref: 'b.yaml' }),
      { 'b.yaml': { items: { $ref: './c.yaml#/A' } }, 'c.yaml': { A: { not: { $ref: 'api.yaml#' } } } },
      `c.yaml:3:5 x: ${whole('api.yaml#')}`,
    ],
    [
      operation({ responses: { default: { $ref: 'b.yaml#/R' } } }),
      { 'b.yaml': { R: { $ref: 'api.yaml' } } },
      `b.yaml:2:3 x: ${whole('api.yaml')}`,
    ],
    [response({ $ref: 'b.yaml' }), { 'b.yaml': { $ref: 'b.yaml' } }, `b.yaml:1:1 x: ${itself('b.yaml')}`],
    [
      schemas({ A: { $ref: 'b.yaml' } }),
      { 'b.yaml': { $ref: `api.yaml${a}` } },
      `api.yaml:9:7 ${itself('b.yaml')}`,
      `b.yaml:1:1 ${itself(`api.yaml${a}`)}`,
    ],
    [
      schemas({ A: { $ref: 'b.yaml#/A' } }),
      { 'b.yaml': { A: { $ref: 'c.yaml#/A' } }, 'c.yaml': { A: { $ref: 'b.yaml#/A' } } },
      `b.yaml:2:3 ${itself('c.yaml#/A')}`,
      `c.yaml:2:3 ${itself('b.yaml#/A')}`,
    ],
    [
      { paths: { '/x': { $ref: 'b.yaml' } } },
      { 'b.yaml': { $ref: 'api.yaml#/paths/~1x' } },
      `api.yaml:7:5 /x: ${itself('b.yaml')}`,
      `b.yaml:1:1 /x: ${itself('api.yaml#/paths/~1x')}`,
    ],
    [
      response({ $ref: 'b.yaml' }),
      { 'b.yaml': { $ref: '#/%zz' } },
      'b.yaml:1:1 x: `$ref: #/%zz` has an invalid percent escape.',
    ],
  ] as const)
    it(`is refused at its place in the file: ${JSON.stringify(files)}`, async () => {
      const texts = Object.entries(files).map(([name, value]) => [name, stringify(value)] as const);
      const main = stringify({ openapi: '3.1.1', info, ...contract });
      expect(await errorsOf({ 'api.yaml': main, ...Object.fromEntries(texts) })).to.deep.equal(problems);
    });

  it('is not one to a whole file other than the document', async () => {
    const files = { 'b.yaml': stringify({ properties: { child: { $ref: '#' }, other: { $ref: 'b.yaml' } } }) };
    expect(await load(response({ $ref: 'b.yaml' }), '3.1.1', files)).to.deep.equal({ ids: ['x'], warnings: [] });
  });

  it('is accepted in data, such as an example', async () => {
    const A = { type: 'object', example: { $ref: '#' }, default: { $ref: a }, 'x-data': { $ref: '#/x-data' } };
    expect(await load(schemas({ A }))).to.deep.include({ warnings: [] });
    const examples = { a: { value: { $ref: '#' } } };
    const data = operation({ responses: { 200: { description: '', ...json({}, { examples }) } } });
    expect(await load(data)).to.deep.include({ warnings: [] });
  });

  it('is no reference of a schema to a part of itself', async () => {
    const A = { type: 'object', properties: { child: { $ref: a }, children: { type: 'array', items: { $ref: a } } } };
    expect(await load(schemas({ A, B: { $ref: a } }))).to.deep.equal({ ids: [], warnings: [] });
  });
});

describe('a long sequence of references', () => {
  const sequence = (length: number, section: string, more: object, end: object) => {
    const names = Array.from({ length }, (_, index) => `A${String(index)}`);
    const parts = names.map((name, index) => {
      const $ref = `#/components/${section}/A${String(index + 1)}`;
      return [name, { $ref, ...more }];
    });
    return { [section]: Object.fromEntries([...parts, [`A${String(length)}`, end]]) as object };
  };
  const query = { name: 'a', in: 'query', schema: { type: 'string' } };
  const first = { parameters: [{ $ref: '#/components/parameters/A0' }] };
  for (const [title, components] of [
    ['schemas', sequence(5000, 'schemas', {}, { type: 'string' })],
    ['schemas with siblings', sequence(500, 'schemas', { description: 'A' }, { type: 'string' })],
    ['parameters', sequence(5000, 'parameters', {}, query)],
  ] as const)
    it(`is loaded in linear time: ${title}`, async () => {
      const get = { operationId: 'x', responses, ...('parameters' in components ? first : {}) };
      expect(await load({ paths: { '/x': { get } }, components })).to.deep.equal({ ids: ['x'], warnings: [] });
    });

  it('keeps what the references between say', async () => {
    const components = sequence(40, 'schemas', { minLength: 2 }, { type: 'string' });
    const { url } = place({ 'api.yaml': stringify({ openapi: '3.1.1', info, paths: {}, components }) });
    const { document } = await loadDocument(url);
    expect(document.components).to.deep.equal(components);
  });
});
