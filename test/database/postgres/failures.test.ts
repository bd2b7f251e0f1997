import { expect } from 'chai';
import { DatabaseError } from 'pg';
import { isConnectionLost, isOutage, mayReadAgain } from '#src/database/postgres/failures.js';

function databaseError(code: string): DatabaseError {
  return Object.assign(new DatabaseError('injected', 8, 'error'), { code });
}

/** The SQLSTATE classes that do not mean a defect of the service, with a code of each (PostgreSQL, Appendix A). */
const outages = {
  connectionLost: ['08006', '08007', '08P01', '0A000', '25006', '25P03', '57P01', '57P05'],
  rolledBack: ['40000', '40001', '40003', '40P01', '72000'],
  unavailable: [
    ...['2200H', '28000', '3D000', '3F000', '42501', '42P01', '53100', '53300', '54000', '55000', '55P03', '57014'],
    ...['58030', 'F0000', 'XX000', 'XX001'],
  ],
};
const defects = ['22012', '22P02', '23505', '25001', '42601', '42703', '42883', 'P0001'];
const driverErrors = ['Connection terminated unexpectedly', 'connect ECONNREFUSED', 'read ECONNRESET'];

describe('the failures of PostgreSQL', () => {
  it('are outages, or defects of the service, by SQLSTATE', () => {
    for (const code of Object.values(outages).flat()) expect(isOutage(databaseError(code)), code).to.equal(true);
    for (const code of defects) expect(isOutage(databaseError(code)), code).to.equal(false);
    for (const message of driverErrors) expect(isOutage(new Error(message)), message).to.equal(true);
    expect(isOutage(new TypeError('a defect'))).to.equal(false);
  });

  it('end the connection or not', () => {
    for (const code of outages.connectionLost) expect(isConnectionLost(databaseError(code)), code).to.equal(true);
    for (const code of [...outages.rolledBack, ...outages.unavailable, ...defects]) {
      expect(isConnectionLost(databaseError(code)), code).to.equal(false);
    }
  });

  it('let a read be run again if the connection ended, but not after a timeout', () => {
    expect(mayReadAgain(databaseError('57P01'))).to.equal(true);
    expect(mayReadAgain(new Error('Connection terminated unexpectedly'))).to.equal(true);
    for (const message of ['Query read timeout', 'timeout exceeded when trying to connect']) {
      expect(mayReadAgain(new Error(message)), message).to.equal(false);
    }
  });
});
