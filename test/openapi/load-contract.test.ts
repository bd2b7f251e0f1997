import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createApi } from '#src/openapi/create-api.js';
import { contractUrl, parseContract, readContract } from '#src/openapi/load-contract.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const bytes = readFileSync(contractUrl);

/** A file for one test, with its URL. */
function placeFile(content: string | Uint8Array): URL {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, content);
  return pathToFileURL(file);
}

describe('readContract', () => {
  it('returns the document of the build, which equals the parsed file', async () => {
    expect(await readContract(contractUrl)).to.deep.equal({
      bytes,
      document: await parseContract(bytes),
      isChecked: true,
    });
  });

  it('returns an unchecked document if a byte differs or the file of the build cannot be read', async () => {
    const changed = Buffer.concat([bytes, Buffer.from('\n')]);
    const document = await parseContract(bytes);
    expect(await readContract(placeFile(changed))).to.deep.equal({ bytes: changed, document, isChecked: false });
    const half = placeFile('{"sha256":');
    for (const left of [half, new URL('missing', half)]) {
      expect(await readContract(contractUrl, left)).to.deep.equal({ bytes, document, isChecked: false });
    }
  });

  it('throws for an invalid contract', async () => {
    const broken = placeFile(bytes.toString().replace('x-rate-limit-ban:', 'x-rate-limit-band:'));
    const error = await readContract(broken).catch((thrown: unknown) => thrown);
    expect(error)
      .to.be.instanceOf(TypeError)
      .with.property('message')
      .that.contains("must have required property 'x-rate-limit-ban'");
  });

  it('leads to the same operations and validators whether or not the document is checked', async () => {
    const document = await parseContract(bytes);
    const [checked, unchecked] = await Promise.all(
      [true, false].map(async (isChecked) => {
        const { router, validator } = await createApi({ document, isChecked, handlers: {}, lifecycleHandlers: {} });
        return router.getOperations().map((operation) => ({
          operation,
          schemas: validator.getRequestValidatorsForOperation(operation.operationId).map(({ schema }) => schema),
        }));
      }),
    );
    expect(checked).to.deep.equal(unchecked);
    expect(checked?.flatMap(({ schemas }) => schemas)).to.not.deep.equal([]);
  });
});
