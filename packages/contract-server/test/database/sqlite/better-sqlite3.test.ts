import { StartError } from '@contract-server/core/lib/errors.js';
import { expect } from 'chai';
import { BetterSqlite3, chooseSqlite } from '#src/database/sqlite/better-sqlite3.js';
import { isSqliteError } from '#src/database/sqlite/sqlite-error.js';

const [older, newer] = [
  { name: 'better-sqlite3-node20', version: '12.11.1' },
  { name: 'better-sqlite3', version: '13.2.0' },
];

describe('better-sqlite3', () => {
  it('is version 12 on Node.js 20, and 13 on newer versions, where both are installed', () => {
    const chosen = ['20.19.0', '22.0.0', '24.19.0', '26.0.0'].map((node) => chooseSqlite(node, [newer, older]).version);
    expect(chosen).to.deep.equal(['12.11.1', '13.2.0', '13.2.0', '13.2.0']);
  });

  for (const [node, installed, message] of [
    [
      '20.19.0',
      [newer],
      'Node.js 20.19.0 needs better-sqlite3 12 instead of 13.2.0. Run npm install better-sqlite3@12.',
    ],
    [
      '24.19.0',
      [older],
      'Node.js 24.19.0 needs better-sqlite3 13 instead of 12.11.1. Run npm install better-sqlite3@13.',
    ],
    ['24.19.0', [], 'Node.js 24.19.0 needs better-sqlite3 13. Run npm install better-sqlite3@13.'],
  ] as const)
    it(`prevents a start on Node.js ${node} with ${installed[0]?.version ?? 'no version'}`, () => {
      expect(() => chooseSqlite(node, installed)).to.throw(StartError, message);
    });

  it('throws errors that isSqliteError recognizes', () => {
    const database = new BetterSqlite3(':memory:');
    let thrown: unknown;
    try {
      database.prepare('SELECT 1 FROM missing');
    } catch (error) {
      thrown = error;
    }
    expect(isSqliteError(thrown) && thrown.code).to.equal('SQLITE_ERROR');
    expect(isSqliteError(new Error('SQLITE_ERROR'))).to.equal(false);
    database.close();
  });
});
