import { expect } from 'chai';
import { splitLines } from '#src/cli/lines.js';

async function split(bytesKept: number, ...chunks: string[]): Promise<[number, string][]> {
  const lines: [number, string][] = [];
  async function* source(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  }
  for await (const group of splitLines(source(), bytesKept)) {
    lines.push(...group.map(({ number, bytes }): [number, string] => [number, bytes.toString()]));
  }
  return lines;
}

describe('splitLines', () => {
  it('numbers all lines from 1, including blank lines', async () => {
    expect(await split(9, 'a\n\nb\r\n', '\n', 'c')).to.deep.equal([
      [1, 'a'],
      [2, ''],
      [3, 'b'],
      [4, ''],
      [5, 'c'],
    ]);
  });

  it('joins lines across chunks', async () => {
    expect(await split(9, 'a', 'b\r', '\nc', '', 'd\n')).to.deep.equal([
      [1, 'ab'],
      [2, 'cd'],
    ]);
  });

  it('keeps at most a given number of bytes of a line', async () => {
    expect(await split(3, 'abcdef\nab', 'cd', 'ef', '\nabc\n', 'abcdef')).to.deep.equal([
      [1, 'abc'],
      [2, 'abc'],
      [3, 'abc'],
      [4, 'abc'],
    ]);
  });
});
