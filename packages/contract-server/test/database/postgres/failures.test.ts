import { expect } from 'chai';
import { DatabaseError } from 'pg';
import { isOutage } from '#src/database/postgres/database.js';

const errorsOf = (codes: string) =>
  codes.split(' ').map((code) => Object.assign(new DatabaseError('injected', 8, 'error'), { code }));

/** The errors of several meanings, with a code of each SQLSTATE class (PostgreSQL, Appendix A). */
const lostConnections = errorsOf('08006 08007 08P01 0A000 25006 25P03 57P01 57P05');
const rollbacks = errorsOf('40000 40001 40003 40P01 72000');
const noResources = errorsOf('2200H 53100 53300 54000 55000 55P03 57014 58030 F0000 XX000 XX001');
const lostByPoolers = errorsOf('26000 42P05');
const removedByOperator = errorsOf('28000 28P01 3D000 3F000 42501 42P01');
const defects = [...errorsOf('21000 22012 22P02 23505 25001 42601 42703 42883 P0001'), new TypeError('a defect')];
const driverErrors = ['Connection terminated unexpectedly', 'connect ECONNREFUSED', 'Query read timeout'];

describe('the failures of PostgreSQL', () => {
  for (const [title, errors, expected] of [
    ['an outage if a connection or a transaction is lost', [...lostConnections, ...rollbacks], true],
    ['an outage if a pooler lost a prepared statement', lostByPoolers, true],
    ['an outage for errors of the driver', driverErrors.map((text) => new Error(text)), true],
    ['an outage without resources, a permission or a table', [...noResources, ...removedByOperator], true],
    ['no outage for defects', defects, false],
  ] as const)
    it(`are ${title}`, () => {
      for (const error of errors) expect(isOutage(error), String(error)).to.equal(expected);
    });
});
