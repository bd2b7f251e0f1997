import { expect } from 'chai';
import fc from 'fast-check';
import { parseQuery } from '#dist/parameters/parse-query.js';

const piece = fc.constantFrom('a', 'b', '1', '=', '&', '+', '%20', '%2B', '%26', '%C3%A9', '__proto__');

/** The parameters as the URL standard defines them. */
function parametersOf(query: string): object {
  const all = new URLSearchParams(query);
  const valuesOf = (name: string) => (all.getAll(name).length === 1 ? all.get(name) : all.getAll(name));
  return Object.fromEntries([...all.keys()].map((name) => [name, valuesOf(name)]));
}

describe('parseQuery', () => {
  it('returns the parameters of any query without invalid escapes, and all values of a repeated one', () => {
    const query = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(query, (text) => void expect({ ...parseQuery(text) }).to.deep.equal(parametersOf(text))));
    expect(parseQuery('a=1&a=&a&=&b+c=%2B+')).to.deep.include({ a: ['1', '', ''], '': '', 'b c': '+ ' });
  });
});
