import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { contractUrl } from '#src/openapi/load-contract.js';
import { checkRelease } from '../../scripts/check-release.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const contract = readFileSync(contractUrl, 'utf8');
const unreleased = '# Changelog\n\n## [Unreleased]\n\n- Something.\n';

describe('checkRelease', () => {
  let root: URL;
  beforeEach(() => {
    root = pathToFileURL(`${temporaryDirectory()}/`);
    mkdirSync(new URL('spec/released/', root), { recursive: true });
    write('CHANGELOG.md', unreleased);
    write('spec/petstore.yaml', contract);
  });

  const write = (path: string, text: string) => writeFileSync(new URL(path, root), text);
  const check = () => checkRelease(root, '2027-01-01');

  it('reports nothing before the first release', async () => {
    expect(await check()).to.deep.equal({ released: undefined, problems: [] });
  });

  it('requires a copy of the contract of each version that the changelog lists', async () => {
    write('CHANGELOG.md', `${unreleased}\n## [1.0.0] - 2026-12-01\n`);
    expect(await check()).to.deep.equal({
      released: '1.0.0',
      problems: ['CHANGELOG.md lists 1.0.0. Copy spec/petstore.yaml to spec/released/1.0.0.yaml.'],
    });
    write('spec/released/1.0.0.yaml', contract);
    expect(await check()).to.deep.equal({ released: '1.0.0', problems: [] });
  });

  it('requires a heading in the changelog and the version of the file name for each copy', async () => {
    write('spec/released/1.0.0.yaml', contract);
    expect((await check()).problems).to.deep.equal([
      'spec/released/1.0.0.yaml is kept, and CHANGELOG.md has no heading for it.',
    ]);
    write('CHANGELOG.md', `${unreleased}\n## [1.0.0] - 2026-12-01\n`);
    write('spec/released/1.0.0.yaml', contract.replace('  version: 1.0.0', '  version: 1.0.1'));
    expect((await check()).problems).to.include('spec/released/1.0.0.yaml is version 1.0.1.');
  });

  it('compares the contract with the last released one', async () => {
    write('CHANGELOG.md', `${unreleased}\n## [1.0.1] - 2026-12-02\n\n## [1.0.0] - 2026-12-01\n`);
    write('spec/released/1.0.0.yaml', contract);
    write(
      'spec/released/1.0.1.yaml',
      contract.replace('  version: 1.0.0', '  version: 1.0.1').replace('available for adoption', 'for adoption'),
    );
    expect(await check()).to.deep.equal({
      released: '1.0.1',
      problems: ['info.version must be at least 1.0.2, and is 1.0.0.'],
    });
    write(
      'spec/petstore.yaml',
      contract.replace('  version: 1.0.0', '  version: 1.1.0').replace('maxLength: 255', 'maxLength: 254'),
    );
    expect((await check()).problems).to.deep.equal([
      'replace paths/~1pets/post/requestBody/content/application~1json/schema/properties/name/maxLength breaks ' +
        'clients of 1.0.1.',
    ]);
  });
});
