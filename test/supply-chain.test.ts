import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface LockedPackage {
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: true;
  readonly dev?: true;
  readonly optional?: true;
  readonly hasInstallScript?: true;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const root = new URL('../../', import.meta.url);
const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as Lock;
/** Others are the packages of this repository, and the links to them. */
const packages = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

/** Licences under which the service may be used and passed on without more than a notice (SPDX). */
const permissive = '0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 ISC MIT Python-2.0'.split(' ');

/** Test tools, which are not distributed, with licenses that have conditions for changed versions. */
const toolsOfTests: Readonly<Record<string, string>> = { 'node_modules/axe-core': 'MPL-2.0' };

function isPermissive(license: string | undefined): boolean {
  const choices = (license ?? '').replace(/[()]/g, '').split(' OR ');
  return choices.some((choice) => permissive.includes(choice));
}

describe('the installed packages', () => {
  it('all have permissive licenses', () => {
    const others = packages.filter(
      ([path, { license, dev }]) => !isPermissive(license) && !(dev && toolsOfTests[path] === license),
    );
    expect(others.map(([path]) => path)).to.deep.equal([]);
  });

  it('are locked with a checksum, except those for other systems', () => {
    const unlocked = packages.filter(([, { integrity }]) => integrity === undefined);
    expect(unlocked.filter(([, { dev, optional }]) => !(dev && optional)).map(([path]) => path)).to.deep.equal([]);
  });

  it('have no install scripts, except the one that SECURITY.md explains', () => {
    const security = readFileSync(new URL('SECURITY.md', root), 'utf8');
    const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    expect(scripted).to.deep.equal(['node_modules/better-sqlite3-node20']);
    expect(security).to.contain('better-sqlite3');
  });
});
