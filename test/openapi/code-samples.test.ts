import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { codeSamplesOf } from '#src/openapi/code-samples.js';
import { type ContractDocument, operationsOf, publicUrlOf, requireOperation } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { startService, type TestService } from '../support/servers/service.js';

const run = promisify(execFile);
const { document } = await readContract(contractUrl);
const max = 9223372036854775807n;

/** The samples of createPet, by their label, with this example of its body. */
function samplesWith(value: unknown): Record<string, string> {
  const { components, ...rest } = structuredClone(document) as unknown as { components: { examples: object } };
  const changed = { ...rest, components: { ...components, examples: { ...components.examples, Dog: { value } } } };
  const contract = changed as unknown as ContractDocument;
  const samples = codeSamplesOf(contract, requireOperation(contract, 'createPet'));
  return Object.fromEntries(samples.map(({ label, source }) => [label, source]));
}

describe('codeSamplesOf', () => {
  it('keeps 64-bit integers exact, and quotes values for each language', () => {
    const samples = samplesWith({ name: `O'Neill, "true": null`, categoryId: max, status: null, tame: true });
    expect(samples['curl']).to.contain(
      String.raw`-d '{"name":"O'\''Neill, \"true\": null","categoryId":9223372036854775807,"status":null,"tame":true}'`,
    );
    expect(samples['JavaScript client']).to.contain('categoryId: 9223372036854775807n');
    expect(samples['JavaScript fetch']).to.contain('"categoryId":9223372036854775807,');
    expect(samples['Python']).to.contain(
      String.raw`json={"name": "O'Neill, \"true\": null", "categoryId": 9223372036854775807, "status": None, "tame": True},`,
    );
  });

  it('has none of the client if the contract names none', () => {
    const { 'x-client': _, ...contract } = document;
    const samples = codeSamplesOf(contract, requireOperation(document, 'listPets'));
    expect(samples.map(({ label }) => label)).to.deep.equal(['curl', 'JavaScript fetch', 'Python']);
  });

  describe('for a running service', function () {
    this.timeout(30_000);
    let service: TestService;
    let folder: string;
    before(async () => {
      service = await startService();
      // Below the project, so that its name is the name of the published client.
      folder = mkdtempSync(fileURLToPath(new URL('../../samples-', import.meta.url)));
    });
    after(async () => {
      rmSync(folder, { recursive: true });
      await service.close();
    });

    const output = async (label: string, source: string): Promise<string> => {
      const own = source.replaceAll(publicUrlOf(document), new URL('/v1', service.baseUrl).href);
      const env = { ...process.env, API_KEY: service.token };
      const file = join(folder, label === 'curl' ? 'sample.sh' : 'sample.mjs');
      writeFileSync(file, own);
      const { stdout } = await run(label === 'curl' ? 'bash' : process.execPath, [file], { env });
      return stdout;
    };

    it('sends requests that it accepts', async () => {
      for (const id of ['createPet', 'listPets', 'getPet'] as const) {
        for (const { label, source } of codeSamplesOf(document, requireOperation(document, id))) {
          if (label !== 'Python') expect(await output(label, source), `${id}: ${label}`).to.contain('Rex');
        }
      }
    });

    it('returns integers exactly', async () => {
      const samples = samplesWith({ name: 'Max', categoryId: max });
      for (const label of ['curl', 'JavaScript client', 'JavaScript fetch'])
        expect(await output(label, samples[label] ?? '')).to.contain(String(max));
    });
  });

  it('covers every operation', () => {
    for (const entry of operationsOf(document)) {
      for (const { label, source } of codeSamplesOf(document, entry)) {
        expect(source, label).to.contain(publicUrlOf(document)).and.contain('API_KEY');
      }
    }
  });
});
