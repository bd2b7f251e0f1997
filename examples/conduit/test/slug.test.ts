import { expect } from 'chai';
import { slugOf } from '#src/articles/slug.js';

describe('slugOf', () => {
  for (const [title, slug] of [
    ['How to grow tomatoes', 'how-to-grow-tomatoes'],
    ["  What's new?  ", 'what-s-new'],
    ['C++ & C#', 'c-c'],
    ['../secret', 'secret'],
    ['Ünïcödé', 'ünïcödé'],
    ['U\u0308ber', 'über'],
    ['हिन्दी में', 'हिन्दी-में'],
    ['!?', 'article'],
  ] as const)
    it(`of ${title} is ${slug}`, () => {
      expect(slugOf(title)).to.equal(slug);
    });
});
