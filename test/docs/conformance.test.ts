import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { findPlace } from '../support/contract/contract-place.js';

const docs = new URL('../../../docs/', import.meta.url);

/** The rows of the tables: a requirement, its place in the contract, and links to tests, each followed by a title. */
const rows = readFileSync(new URL('conformance.md', docs), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (Requirement|-+) /.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  );

/** Whether a test file has a test, a group or a row of a table with this title. */
function hasTitle(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}

describe('docs/conformance.md', () => {
  it('has requirements, each with a place in the contract that exists', () => {
    expect(rows).to.have.length.above(30);
    for (const [requirement, place = ''] of rows) {
      const [, pointer = ''] = /^`(\/.+)`$/.exec(place) ?? [];
      expect(findPlace(pointer), `${String(requirement)} ${place}`).to.not.equal(undefined);
    }
  });

  it('names for each requirement the file and the title of tests that exist', () => {
    for (const [requirement, , tests = ''] of rows) {
      for (const test of tests.split('<br>')) {
        const [, path = '', title = ''] = /^\[[\w-]+\]\((.+?)\): (.+)$/.exec(test) ?? [];
        expect(existsSync(new URL(path, docs)) && path !== '', `${String(requirement)} ${test}`).to.equal(true);
        expect(hasTitle(readFileSync(new URL(path, docs), 'utf8'), title), title).to.equal(true);
      }
    }
  });
});
