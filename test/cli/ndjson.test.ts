import { expect } from 'chai';
import { splitLines } from '#src/cli/ndjson.js';

const cases: readonly (readonly [bytesMax: number, chunks: readonly string[], lines: readonly string[]])[] = [
  [9, ['a\n\nb\r\n', '\n', 'c'], ['a', '', 'b', '', 'c']],
  [9, ['a', 'b\r', '\nc', '', 'd\n'], ['ab', 'cd']],
  [3, ['abcdef\nab', 'cd', 'ef', '\nabc\n', 'abcdef'], ['abc', 'abc', 'abc', 'abc']],
];

describe('splitLines', () => {
  for (const [bytesMax, chunks, expected] of cases) {
    it(`splits ${JSON.stringify(chunks)} into lines of at most ${String(bytesMax)} bytes`, async () => {
      async function* source() {
        for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
      }
      const lines: string[] = [];
      for await (const group of splitLines(source(), bytesMax)) lines.push(...group.map(String));
      expect(lines).to.deep.equal(expected);
    });
  }
});
