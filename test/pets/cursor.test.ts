import { expect } from 'chai';
import fc from 'fast-check';
import { ApiError } from '#src/lib/errors.js';
import { readCursor, writeCursor } from '#src/pets/cursor.js';

const filter = fc.constantFrom(undefined, 'available' as const, 'pending' as const, 'sold' as const);
const id = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function expectRejected(cursor: string, status: Parameters<typeof readCursor>[1]): void {
  try {
    readCursor(cursor, status);
  } catch (error) {
    expect(error).to.be.instanceOf(ApiError).and.include({ code: 'invalid_cursor' });
    return;
  }
  expect.fail(`The cursor ${JSON.stringify(cursor)} was accepted.`);
}

describe('a cursor', () => {
  it('states after which pet the page begins, for every id that the service assigns', () => {
    fc.assert(
      fc.property(id, filter, (afterId, status) => readCursor(writeCursor(afterId, status), status) === afterId),
    );
  });

  it('needs no escaping in a URL, and is as short as the contract requires', () => {
    fc.assert(fc.property(id, filter, (afterId, status) => /^[\w-]{1,200}$/.test(writeCursor(afterId, status))));
  });

  it('is rejected with a filter that it was not issued for', () => {
    fc.assert(
      fc.property(id, filter, filter, (afterId, issuedFor, status) => {
        if (issuedFor !== status) expectRejected(writeCursor(afterId, issuedFor), status);
      }),
    );
  });

  it('is rejected if any character was changed, removed or added', () => {
    const character = fc.oneof(
      fc.constantFrom(...Array.from(base64url)),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const splice = fc.tuple(fc.nat(), fc.nat(1), fc.oneof(fc.constant(''), character));
    fc.assert(
      fc.property(id, filter, splice, (afterId, status, [at, removed, added]) => {
        const cursor = writeCursor(afterId, status);
        const start = at % (cursor.length + 1);
        const altered = cursor.slice(0, start) + added + cursor.slice(start + removed);
        if (altered !== cursor) expectRejected(altered, status);
      }),
      { numRuns: 2000 },
    );
  });

  it('is rejected for an id that is never assigned, even with the right checksum', () => {
    for (const afterId of [0, -1, -5, -Number.MAX_SAFE_INTEGER]) {
      expect(() => readCursor(writeCursor(afterId, undefined), undefined)).to.throw(ApiError);
    }
  });

  it('is rejected if it is any other text', () => {
    for (const text of [
      '',
      '=',
      'null',
      '0',
      '-1',
      Buffer.from('1').toString('base64url'),
      Buffer.from('1.').toString('base64url'),
    ]) {
      expectRejected(text, undefined);
    }
    fc.assert(fc.property(fc.string(), filter, (text, status) => expectRejected(text, status)));
  });
});
