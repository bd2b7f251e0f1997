import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { findPlace } from '../support/contract/contract-place.js';

const docs = new URL('../../../docs/', import.meta.url);
const document = readFileSync(new URL('conformance.md', docs), 'utf8');

/** The paths of tests, by the names that links use. */
const paths = new Map(
  [...document.matchAll(/^\[([\w-]+)\]: (\S+)$/gm)].map(([, name = '', path = '']) => [name, path]),
);

/** The items of the lists: a requirement, its place in the contract, and below it the tests. */
const items = [...document.matchAll(/^- (?:.|\n {2}(?! *-))+((?:\n {2}- .+)*)/gm)].map(([item, tests = '']) => {
  const text = item.slice(0, item.length - tests.length).replaceAll('\n', ' ');
  return { text, tests: tests.split('\n  - ').slice(1) };
});

/** Whether a test file has a test, a group or a row of a table whose title begins so. */
function hasTitle(source: string, beginning: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${beginning}`));
}

describe('docs/conformance.md', () => {
  it('has requirements, each with a place in the contract that exists', () => {
    expect(items).to.have.length.above(30);
    for (const { text } of items) {
      const [, pointer = ''] = / \(`(\/[^`]+)`\)$/.exec(text) ?? [];
      expect(pointer === '' ? undefined : findPlace(pointer), text).to.not.equal(undefined);
    }
  });

  it('names for each requirement the file and the beginning of the title of tests that exist', () => {
    for (const { text, tests } of items) {
      expect(tests, text).to.have.length.above(0);
      for (const test of tests) {
        const [, name = '', beginning = ''] = /^\[([\w-]+)\] (.+)$/.exec(test) ?? [];
        const path = paths.get(name) ?? '';
        expect(existsSync(new URL(path, docs)) && path !== '', `${text} ${test}`).to.equal(true);
        expect(hasTitle(readFileSync(new URL(path, docs), 'utf8'), beginning), test).to.equal(true);
      }
    }
  });
});
