import { errorsOf } from '@contract-server/test-support/contract/contract-errors.js';
import { expect } from 'chai';

const head = 'openapi: 3.1.0\ninfo: { title: Books, version: 1.0.0 }\n';
const tooMany = 'api.yaml:1:1 The aliases of YAML make more than 2000000 values of the file. Use references.';

describe('the files of a contract', () => {
  it('are refused if aliases make billions of values of a few lines', async () => {
    const lines = Array.from(
      { length: 9 },
      (_, at) => `x-${String(at + 1)}: &a${String(at + 1)} [${`*a${String(at)},`.repeat(10)}]`,
    );
    expect(await errorsOf({ 'api.yaml': `${head}x-0: &a0 [a]\n${lines.join('\n')}\npaths: {}\n` })).to.deep.equal([
      tooMany,
    ]);
  });

  it('are refused if an alias contains itself', async () => {
    expect(await errorsOf({ 'api.yaml': `${head}x-a: &a { b: *a }\npaths: {}\n` })).to.deep.equal([tooMany]);
  });

  it('are no devices', async () => {
    const path = `paths: { /a: { $ref: /dev/zero } }\n`;
    expect(await errorsOf({ 'api.yaml': head + path })).to.deep.equal([
      "api.yaml:3:14 /a: Can't resolve $ref: /dev/zero is not a file.",
    ]);
  });
});
