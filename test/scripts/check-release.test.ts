import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { checkRelease } from '../../scripts/check-release.js';
import { definition } from '../support/pet-store.js';

const project = new URL('../../../', import.meta.url);
const contract = readFileSync(definition.contract, 'utf8').replace(/^ {2}version: .*$/m, '  version: 1.0.0');
const withVersion = (version: string) => contract.replace('  version: 1.0.0', `  version: ${version}`);

/** Checks a project with these versions in its changelog, and these contracts by their paths in `spec`. */
async function check(versions: readonly string[], contracts: Readonly<Record<string, string>>) {
  const root = pathToFileURL(`${temporaryDirectory()}/`);
  mkdirSync(new URL('spec/released/', root), { recursive: true });
  const headings = ['[Unreleased]', ...versions.map((version) => `[${version}] - 2026-11-24`)];
  writeFileSync(new URL('CHANGELOG.md', root), headings.map((heading) => `## ${heading}\n\n- Something.\n`).join('\n'));
  for (const [path, text] of Object.entries({ 'petstore.yaml': contract, ...contracts }))
    writeFileSync(new URL(`spec/${path}`, root), text);
  return checkRelease(root, '2027-01-01');
}

describe('checkRelease', () => {
  it('reports nothing before the first release, and after one with a copy of its contract', async () => {
    expect(await check([], {})).to.deep.equal({ released: undefined, problems: [] });
    const after = await check(['1.0.0'], { 'released/1.0.0.yaml': contract });
    expect(after).to.deep.equal({ released: '1.0.0', problems: [] });
  });

  it('finds a contract that breaks clients of the release in spec/released/', async () => {
    const changelog = readFileSync(new URL('CHANGELOG.md', project), 'utf8');
    const versions = [...changelog.matchAll(/^## \[(\d\S+)\]/gm)].map(([, version = '']) => version);
    const contracts: Record<string, string> = {};
    for (const version of versions) {
      const path = `released/${version}.yaml`;
      contracts[path] = readFileSync(new URL(`spec/${path}`, project), 'utf8');
    }
    const breaking = contract.replace('required: [name, categoryId]', 'required: [name, categoryId, status]');
    const { problems } = await check(versions, { ...contracts, 'petstore.yaml': breaking });
    const [last = ''] = versions;
    const change = 'createPet, request body: required property "status" added';
    expect(problems).to.include(`${change}. This breaks clients of ${last}.`);
  });

  it('requires a copy of the contract of each version that the changelog lists, and no other', async () => {
    expect((await check(['1.0.0'], {})).problems).to.deep.equal([
      'CHANGELOG.md lists 1.0.0. Copy spec/petstore.yaml to spec/released/1.0.0.yaml.',
    ]);
    expect((await check([], { 'released/1.0.0.yaml': contract })).problems).to.deep.equal([
      'spec/released/1.0.0.yaml is kept, and CHANGELOG.md has no heading for it.',
    ]);
    const { problems } = await check(['1.0.0'], { 'released/1.0.0.yaml': withVersion('1.0.1') });
    expect(problems).to.include('spec/released/1.0.0.yaml is version 1.0.1.');
  });

  it('requires that each operation was deprecated on the day of a release', async () => {
    const late = contract.replace('x-deprecated-at: "2026-11-24"', 'x-deprecated-at: "2026-11-25"');
    const { problems } = await check(['1.0.0'], { 'petstore.yaml': late, 'released/1.0.0.yaml': late });
    expect(problems).to.deep.equal([
      'x-deprecated-at of get /pets/{petId} is 2026-11-25, and CHANGELOG.md lists no release of that day.',
    ]);
  });

  it('compares the contract with the last released one', async () => {
    const current = withVersion('1.1.0').replace('maxLength: 255', 'maxLength: 254');
    const copies = { 'released/1.0.0.yaml': contract, 'released/1.0.1.yaml': withVersion('1.0.1') };
    const unchanged = await check(['1.0.1', '1.0.0'], copies);
    expect(unchanged.problems).to.deep.equal(['info.version must be at least 1.0.1, and is 1.0.0.']);
    expect(await check(['1.0.1', '1.0.0'], { ...copies, 'petstore.yaml': current })).to.deep.equal({
      released: '1.0.1',
      problems: [
        'createPet, request body > name: maxLength: 255 -> 254. This breaks clients of 1.0.1.',
        'info.version must be at least 2.0.0, and is 1.1.0.',
      ],
    });
  });
});
