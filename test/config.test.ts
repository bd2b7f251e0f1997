import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { settingList } from './support/pet-store.js';

describe('.env.example', () => {
  it('has every setting of the pet store, with its default', () => {
    const lines = settingList.map((each) => `# ${each.description}\n#${each.name}=${each.default ?? ''}\n`);
    const file = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
    expect(file.slice(file.indexOf('\n\n') + 2)).to.equal(lines.join('\n'));
  });
});
