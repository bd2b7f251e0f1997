import { expect } from 'chai';
import { DatabaseError } from 'pg';
import { isConnectionLost, isOutage, mayReadAgain } from '#src/database/postgres/failures.js';

const errorsOf = (codes: string) =>
  codes.split(' ').map((code) => Object.assign(new DatabaseError('injected', 8, 'error'), { code }));

/** The errors of several meanings, with a code of each SQLSTATE class (PostgreSQL, Appendix A). */
const lostConnections = errorsOf('08006 08007 08P01 0A000 25006 25P03 57P01 57P05');
const rollbacks = errorsOf('40000 40001 40003 40P01 72000');
const noResources = errorsOf('2200H 53100 53300 54000 55000 55P03 57014 58030 F0000 XX000 XX001');
const removedByOperator = errorsOf('28000 3D000 3F000 42501 42P01');
const defects = [...errorsOf('22012 22P02 23505 25001 42601 42703 42883 P0001'), new TypeError('a defect')];
const driverErrors = ['Connection terminated unexpectedly', 'connect ECONNREFUSED', 'read ECONNRESET'];
const timeouts = ['Query read timeout', 'timeout exceeded when trying to connect'];

describe('the failures of PostgreSQL', () => {
  for (const [title, errors, expected] of [
    ['an outage, after which a read may be run again at once', lostConnections, [true, true, true]],
    ['the same for errors of the driver', driverErrors.map((text) => new Error(text)), [true, true, true]],
    ['an outage, after which it may not, for timeouts', timeouts.map((text) => new Error(text)), [true, true, false]],
    ['an outage that keeps the connection', [...rollbacks, ...noResources, ...removedByOperator], [true, false, false]],
    ['no outage for defects', defects, [false, false, false]],
  ] as const) {
    it(`are ${title}`, () => {
      for (const error of errors) {
        expect([isOutage(error), isConnectionLost(error), mayReadAgain(error)], String(error)).to.deep.equal(expected);
      }
    });
  }
});
