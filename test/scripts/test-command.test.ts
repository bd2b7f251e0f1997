import { expect } from 'chai';
import { testCommand } from '../../scripts/test.js';

describe('npm test', () => {
  it('runs the whole suite with coverage without arguments', () => {
    expect(testCommand([])).to.deep.equal(['c8', 'mocha', '--config', '.mocharc.suite.json']);
  });

  it('runs the compiled files of files and folders, without coverage thresholds', () => {
    expect(testCommand(['test/pets/get-pet.test.ts', './test/json'])).to.deep.equal([
      'mocha',
      'build/test/pets/get-pet.test.js',
      'build/test/json/**/*.test.js',
    ]);
  });

  it('passes options to mocha, and applies them to the whole suite if no file is named', () => {
    expect(testCommand(['--grep', 'getPet'])).to.deep.equal(['mocha', '--grep', 'getPet', 'build/test/**/*.test.js']);
  });

  it('fails for a file that does not exist', () => {
    expect(() => testCommand(['test/pets/zzz.test.ts'])).to.throw('zzz.test.ts');
  });
});
