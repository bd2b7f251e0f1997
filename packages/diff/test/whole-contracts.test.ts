import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { diffOf } from './worst-effect.js';

type Json = Readonly<Record<string, unknown>>;

/** The same contract with each object in the reverse order of names, and each list without an order reversed. */
function reordered(node: unknown, name = ''): unknown {
  if (Array.isArray(node)) {
    const items = node.map((item) => reordered(item));
    return ['required', 'enum', 'type', 'allOf', 'anyOf', 'parameters'].includes(name) ? items.reverse() : items;
  }
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, reordered(value, key)] as const);
  return Object.fromEntries(entries.reverse());
}

/** Recursive schemas that all operations reach, and that take a megabyte. */
function largeContract(maxLength: number): object {
  const count = 900;
  const text = 'A field of an object, with a description that is about as long as those of other contracts are.';
  const to = (index: number) => ({ $ref: `#/components/schemas/S${String(index % count)}` });
  const schemas = Array.from({ length: count }, (_, index) => {
    const fields = Array.from({ length: 6 }, (__, at) => [
      `field${String(at)}`,
      { type: 'string', maxLength, description: text },
    ]);
    const more = {
      next: to(index * 7 + 1),
      list: { type: 'array', items: to(index * 3 + 2) },
      none: { oneOf: [to(index + 1), { type: 'null' }] },
    };
    const properties = { ...(Object.fromEntries(fields) as Json), ...more };
    return [`S${String(index)}`, { type: 'object', properties }];
  });
  const paths = Array.from({ length: 100 }, (_, index) => {
    const content = { 'application/json': { schema: to(index) } };
    return [
      `/things${String(index)}`,
      { post: { operationId: `act${String(index)}`, requestBody: { content }, responses: {} } },
    ];
  });
  const components = { schemas: Object.fromEntries(schemas) as Json };
  return {
    openapi: '3.1.1',
    info: { title: 'Large', version: '1.0.0' },
    paths: Object.fromEntries(paths) as Json,
    components,
  };
}

describe('diffContract', function () {
  this.timeout(60_000);

  const root = new URL('../../../../', import.meta.url);
  const released = readdirSync(new URL('spec/released/', root)).map((file) => `spec/released/${file}`);
  const files = ['spec/petstore.yaml', 'examples/conduit/spec/conduit.yaml', ...released];
  for (const file of files)
    it(`finds no change in ${file} with another order`, () => {
      const contract = parse(readFileSync(new URL(file, root), 'utf8')) as object;
      expect(diffOf(contract, reordered(contract) as object).changes).to.deep.equal([]);
      expect(diffOf(contract, structuredClone(contract)).changes).to.deep.equal([]);
    });

  it('names all operations that a change of recursive schemas reaches, also in a contract of a megabyte', () => {
    const [before, after] = [largeContract(9), largeContract(8)];
    expect(JSON.stringify(before).length).to.be.above(1_000_000);
    const { changes } = diffOf(before, after);
    expect(changes).to.have.length(900 * 6);
    expect(changes[0]?.operations).to.have.length(100);
    expect(diffOf(before, structuredClone(before)).changes).to.deep.equal([]);
  });
});
