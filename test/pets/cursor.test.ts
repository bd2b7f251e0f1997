import { expect } from 'chai';
import { ApiError } from 'contract-server';
import fc from 'fast-check';
import { readCursor, writeCursor } from '#src/pets/cursor.js';

const filter = fc.constantFrom(undefined, 'available' as const, 'pending' as const, 'sold' as const);
const id = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const base64url = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

function expectRejected(cursor: string, status: Parameters<typeof readCursor>[1]): void {
  expect(() => readCursor(cursor, status), cursor)
    .to.throw(ApiError)
    .with.property('code', 'invalid_cursor');
}

describe('a cursor', () => {
  it('states after which pet the page begins, for every id, and needs no escaping in a URL', () => {
    fc.assert(
      fc.property(id, filter, (afterId, status) => {
        const cursor = writeCursor(afterId, status);
        expect(cursor).to.match(/^[\w-]{1,200}$/);
        expect(readCursor(cursor, status)).to.equal(afterId);
      }),
    );
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
      fc.constantFrom('', ...base64url),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(id, filter, fc.nat(), fc.nat(1), character, (afterId, status, at, removed, added) => {
        const cursor = writeCursor(afterId, status);
        const start = at % (cursor.length + 1);
        const altered = cursor.slice(0, start) + added + cursor.slice(start + removed);
        if (altered !== cursor) expectRejected(altered, status);
      }),
      { numRuns: 2000 },
    );
  });

  it('is rejected if it is any other text, or for an id that is never assigned', () => {
    for (const afterId of [0, -1, -Number.MAX_SAFE_INTEGER]) expectRejected(writeCursor(afterId, undefined), undefined);
    for (const text of ['', '=', 'null', '0', '-1', 'MQ', 'MS4']) expectRejected(text, undefined);
    fc.assert(fc.property(fc.string(), filter, expectRejected));
  });
});
