import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import * as testing from '#src/testing/index.js';

describe('contract-server/testing', () => {
  it('exports these names', () => {
    expect(Object.keys(testing)).to.have.members([
      ...['createRequest', 'createResponseCheck', 'startService', 'standardHeaders'],
      ...['coverageHooks', 'startCoverage', 'requireCoverage', 'finishCoverage'],
    ]);
  });

  it('loads neither supertest nor Express nor an engine before they are needed', () => {
    const module = import.meta.resolve('#src/testing/index.js');
    const script = `
      import { createRequire } from 'node:module';
      await import('${module}');
      console.log(Object.keys(createRequire('${module}').cache).join('\\n'));`;
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout).to.include('/node_modules/openapi-backend/');
    expect(stdout).not.to.match(/\/node_modules\/(?:supertest|express|better-sqlite3|pg|@redis)\//);
  });
});
