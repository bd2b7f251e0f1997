import { expect } from 'chai';
import { nextCursor } from '#src/client/create-client.js';

const page = 'https://api.petstore.example/v1/pets?limit=2&cursor=abc';

describe('nextCursor', () => {
  for (const [header, cursor] of [
    [`<${page}>; rel="next"`, 'abc'],
    [`<${page}>;rel=next`, 'abc'],
    [`<https://a.example/?x=1,2>; rel="first", <${page}>; rel="next"`, 'abc'],
    [`<https://a.example/>; rel="prev",<${page}>; rel=next; type="application/json"`, 'abc'],
    ['</v1/pets?cursor=abc>; rel="next"', 'abc'],
    ['<https://elsewhere.example/v1/pets?cursor=abc>; rel="next"', 'abc'],
    ['<https://a.example/?cursor=a%2Bb%26c%3D>; rel="next"', 'a+b&c='],
    [null, undefined],
    ['nonsense', undefined],
    [`<${page}>`, undefined],
    [`<${page}>; rel="prev"`, undefined],
    [`<${page}>; rel="nextish"`, undefined],
  ] as const)
    it(`finds ${String(cursor)} in ${String(header)}`, () => expect(nextCursor(header)).to.equal(cursor));

  it('throws if the next link has no cursor', () => {
    for (const url of ['https://a.example/v1/pets?page=2', 'https://'])
      expect(() => nextCursor(`<${url}>; rel="next"`)).to.throw(TypeError);
  });
});
