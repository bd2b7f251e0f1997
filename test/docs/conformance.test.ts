import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { findPlace } from '../support/contract/document.js';

const docs = new URL('../../../docs/', import.meta.url);
const document = readFileSync(new URL('conformance.md', docs), 'utf8');
const [, stated = '', open = ''] = document.split(/^## .*$/m);

/** The paths of tests, by the names that links use. */
const paths = new Map(
  [...document.matchAll(/^\[([\w-]+)\]: (\S+)$/gm)].map(([, name = '', path = '']) => [name, path]),
);

/** The items of a list, each in one line. */
const itemsOf = (section: string) =>
  [...section.matchAll(/^- .+(?:\n {2}.+)*/gm)].map(([item]) => item.replaceAll('\n ', ''));
const items = [...itemsOf(stated), ...itemsOf(open)];

/** Whether a test file has a test, a group or a row of a table whose title begins so. */
function hasTitle(source: string, beginning: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${beginning}`));
}

describe('docs/conformance.md', () => {
  it('names for each choice a place in the contract that exists', () => {
    expect(itemsOf(open)).to.have.length.above(20);
    for (const item of itemsOf(open)) {
      const [, pointer = ''] = / `(\/[^`]+)` \[/.exec(item) ?? [];
      expect(pointer === '' ? undefined : findPlace(pointer), item).to.not.equal(undefined);
    }
  });

  it('names for each item the file and the beginning of the title of tests that exist', () => {
    expect(itemsOf(stated)).to.have.length.above(5);
    for (const item of items) {
      const tests = [...item.matchAll(/\[([^\]]+)\]\[([\w-]+)\]/g)];
      expect(tests, item).to.have.length.above(0);
      for (const [, beginning = '', name = ''] of tests) {
        const path = paths.get(name) ?? '';
        expect(existsSync(new URL(path, docs)) && path !== '', `${item} ${name}`).to.equal(true);
        expect(hasTitle(readFileSync(new URL(path, docs), 'utf8'), beginning), beginning).to.equal(true);
      }
    }
  });
});
