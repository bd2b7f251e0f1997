import { expect } from 'chai';
import fc from 'fast-check';
import { createLinearTest } from '#dist/schema/linear-test.js';

const characters = ['a', 'b', 'B', '0', '-', '.', '@', ' ', '\n', '\u2028', 'é', '🐕', '\ud83d'];

const texts = fc.array(fc.constantFrom(...characters), { maxLength: 12 }).map((parts) => parts.join(''));

/** Patterns of all that an automaton can match: most are built, others have no automaton. */
const patterns = fc.letrec<{ alternatives: string; atom: string }>((tie) => ({
  alternatives: fc
    .array(fc.array(tie('atom'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((each) => each.map((atoms) => atoms.join('')).join('|')),
  atom: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('a', 'b', '0', '\\.', '.', '[^a]', '[a-b]', '\\w', '\\s', '\\D', '\\p{L}', '[^\\n🐕]', '^', '$'),
    fc
      .tuple(tie('alternatives'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?'))
      .map(([inner, repetition]) => `(${inner})${repetition}`),
    tie('alternatives').map((inner) => `(?:${inner})`),
    tie('alternatives').chain((inner) => fc.constantFrom(`(?=${inner})`, `(?!${inner})`)),
    fc.constantFrom('(?=a)', '(?!-)', '(?<=b)', '(?<!\\.)', '\\b'),
  ),
})).alternatives;

describe('createLinearTest', () => {
  for (const anchors of [
    ['^', '$'],
    ['', ''],
  ] as const)
    it(`decides as JavaScript does for patterns within ${JSON.stringify(anchors)}`, () => {
      let count = 0;
      fc.assert(
        fc.property(
          patterns,
          fc.array(texts, { minLength: 5, maxLength: 20 }),
          fc.constantFrom('u', ''),
          (...input) => {
            const [pattern, samples, flags] = input;
            const expression = new RegExp(`${anchors[0]}(?:${pattern})${anchors[1]}`, flags);
            const test = createLinearTest(expression);
            if (test === undefined) return;
            count += 1;
            for (const text of samples)
              expect([expression.source, text, test(text)]).to.deep.equal([
                expression.source,
                text,
                expression.test(text),
              ]);
          },
        ),
        { numRuns: 500 },
      );
      expect(count).to.be.above(40);
    });

  for (const [pattern, hasOne] of [
    ['^.+@.+@.+\\..+$', true],
    ['^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{8,}$', true],
    ['^(?!-)[a-z-]+(?<!-)$', true],
    ['(^a|b+c$)', true],
    ['(a|^b|c$)+', false],
    ['("|\').*\\1', true],
    ['(.+)\\1', false],
    ['\\bword\\b', false],
    ['^a+(?=b*c)[^d]+$', false],
    ['.*a.{20}$', false],
    ['^.{1,2000}$', false],
  ] as const)
    it(`builds ${hasOne ? 'an' : 'no'} automaton of ${pattern}`, () => {
      expect(createLinearTest(new RegExp(pattern, 'u')) !== undefined).to.equal(hasOne);
    });
});
