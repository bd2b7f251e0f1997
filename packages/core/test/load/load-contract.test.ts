import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toysUrl as contractUrl } from '@contract-server/test-support/contract/toys-contract.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { buildContract, readContract } from '#dist/load/load-contract.js';
import { loadDocument } from '#dist/load/load-document.js';

const bytes = readFileSync(contractUrl);

/** A file for one test, with its URL. */
function placeFile(content: string | Uint8Array): URL {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, content);
  return pathToFileURL(file);
}

describe('readContract', () => {
  it('returns the document of the build, which equals the one that a start would load', async () => {
    const { document } = await loadDocument(contractUrl);
    const checkedContract = placeFile('');
    await buildContract({ contract: contractUrl, checkedContract });
    expect(await readContract({ contract: contractUrl, checkedContract })).to.deep.include({
      bytes,
      document,
      warnings: [],
    });
    const checked = JSON.parse(readFileSync(checkedContract, 'utf8')) as object;
    const altered = { openapi: '3.0.4', info: { title: 'Altered', version: '1.0.0' } };
    const file = placeFile(JSON.stringify({ ...checked, document: altered }));
    expect((await readContract({ contract: contractUrl, checkedContract: file })).document).to.deep.equal(altered);
  });

  it('loads the document if a byte differs or the file of the build cannot be read', async () => {
    const changed = Buffer.concat([bytes, Buffer.from('\n')]);
    const { document } = await loadDocument(contractUrl);
    expect(await readContract({ contract: placeFile(changed) })).to.deep.include({
      bytes: changed,
      document,
      warnings: [],
    });
    const half = placeFile('{"files":');
    for (const left of [half, new URL('missing', half)])
      expect(await readContract({ contract: contractUrl, checkedContract: left })).to.deep.include({
        bytes,
        document,
        warnings: [],
      });
  });

  it('throws for an invalid contract', async () => {
    const broken = placeFile(bytes.toString().replace('rejectedRequestsFactor:', 'rejectedRequestFactor:'));
    const error = await readContract({ contract: broken }).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('name', 'ContractError');
    expect(error).to.have.property('message').that.contains('`x-rate-limit-ban` lacks `rejectedRequestsFactor`');
  });

  it('returns the warnings of a contract that the build has not checked', async () => {
    const schemas = 'components: { schemas: { Colour: { type: string, format: colour } } }';
    const contract = placeFile(`openapi: 3.0.4\ninfo: { title: Toys, version: "1" }\npaths: {}\n${schemas}\n`);
    const { warnings } = await readContract({ contract });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/:4:\d+ The format `colour` is not validated\.$/);
  });
});
