import Database from 'better-sqlite3';
import { expect } from 'chai';
import { StoreEvent } from '#src/lib/errors.js';
import { request } from '../support/clients/request.js';
import { announcement } from '../support/contract/announcement.js';
import { unknownPath } from '../support/contract/contract-requests.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { corruptDatabase, dropTable, forgetKeys, openBeside } from '../support/fault-injection.js';
import { startService, type TestService } from '../support/servers/service.js';

const internalError = (headers = {}) =>
  apiError(500, 'internal_error', 'The server failed to process the request. Retry later.', headers);
const storeUnavailable = (headers = {}) =>
  apiError(503, 'store_unavailable', 'The storage is unavailable. Retry after the time in Retry-After.', {
    'retry-after': '1',
    ...headers,
  });
/** Maximum duration of a request that waits for a held lock, in milliseconds, with the delays of a busy machine. */
const rejectedWithinMs = 2500;

/** The outage that is reported once, however many requests fail. */
function outageOf({ clock }: TestService, reason: string): StoreEvent {
  return new StoreEvent(
    'storage outage',
    `petstore.db has been unavailable since ${new Date(clock.now).toISOString()}: ${reason}.`,
  );
}

describe('a failing store', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService();
    await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
  });

  const create = () => request(service).post('/v1/pets').send({ name: 'Mia', categoryId: 7 });

  describe('with an unexpected error', () => {
    beforeEach(() => dropTable(service, 'pets'));

    it('makes every operation that needs it return 500', async () => {
      expect(responseOf(await request(service).get('/v1/pets'))).to.deep.equal(internalError());
      expect(responseOf(await request(service).get('/v1/pets?status=sold'))).to.deep.equal(internalError());
      expect(responseOf(await create())).to.deep.equal(internalError());
      expect(responseOf(await request(service).get('/v1/pets/1'))).to.deep.equal(internalError(announcement(service)));
      expect((await request(service).head('/v1/pets')).status).to.equal(500);
    });

    it('is reported to the operator in full, and not to the client', async () => {
      const response = await request(service).get('/v1/pets').expect(500);
      expect(service.reported).to.have.lengthOf(1);
      expect(service.reported[0])
        .to.be.an.instanceOf(Database.SqliteError)
        .with.property('message', 'no such table: pets');
      const shown = `${JSON.stringify(response.headers)}${response.text}`;
      for (const secret of ['no such table', 'Sqlite', 'at ', '.js', service.directory, service.token]) {
        expect(shown).not.to.include(secret);
      }
    });

    it('does not affect requests that do not need it', async () => {
      await request(service).get('/v1/store/orders').expect(501);
      await request(service).get('/v1/pets?limit=0').expect(400);
      await request(service, null).get('/v1/pets').expect(401);
      expect(service.reported).to.deep.equal([]);
    });
  });

  describe('during key look-ups', () => {
    it('makes every operation return 500, never 401', async () => {
      dropTable(service, 'api_keys');
      forgetKeys(service);
      expect(responseOf(await request(service).get('/v1/pets'))).to.deep.equal(internalError());
      expect(responseOf(await create())).to.deep.equal(internalError());
      expect(responseOf(await request(service).get('/v1/pets/1'))).to.deep.equal(internalError(announcement(service)));
      expect(responseOf(await request(service).get('/v1/store/orders'))).to.deep.equal(internalError());
      expect(responseOf(await request(service).get(unknownPath))).to.deep.equal(internalError());
      expect(responseOf(await request(service, null).get('/v1/pets')).status).to.equal(401);
    });

    it('makes every operation return 503, never 401, if the database file is damaged', async () => {
      corruptDatabase(service);
      forgetKeys(service);
      expect(responseOf(await request(service).get('/v1/pets'))).to.deep.equal(storeUnavailable());
      expect(responseOf(await create())).to.deep.equal(storeUnavailable());
      expect(responseOf(await request(service).get('/v1/pets/1'))).to.deep.equal(
        storeUnavailable(announcement(service)),
      );
      expect(responseOf(await request(service).get('/v1/store/orders'))).to.deep.equal(storeUnavailable());
      expect(responseOf(await request(service).get(unknownPath))).to.deep.equal(storeUnavailable());
      expect(service.reported).to.deep.equal([outageOf(service, 'database disk image is malformed (SQLITE_CORRUPT)')]);
    });
  });

  it('makes operations that read pets return 503 if the database file is damaged', async () => {
    await request(service).get('/v1/pets/1').expect(200);
    corruptDatabase(service);
    expect(responseOf(await request(service).get('/v1/pets'))).to.deep.equal(storeUnavailable());
    expect(responseOf(await request(service).get('/v1/pets/1'))).to.deep.equal(storeUnavailable(announcement(service)));
  });

  describe('with a locked database', () => {
    let beside: Database.Database;
    beforeEach(() => (beside = openBeside(service)));
    afterEach(() => beside.close());
    const hold = () => beside.exec('BEGIN IMMEDIATE');
    const release = () => beside.exec('ROLLBACK');

    it('returns 503 to a write within about a second, and is reported to the operator', async () => {
      hold();
      const started = Date.now();
      expect(responseOf(await create())).to.deep.equal(storeUnavailable());
      expect(Date.now() - started).to.be.below(rejectedWithinMs);
      release();
      expect(service.reported).to.deep.equal([outageOf(service, 'database is locked (SQLITE_BUSY)')]);
      await create().expect(201);
      expect((await request(service).get('/v1/pets')).body).to.have.lengthOf(2);
    });

    it('delays many writes no longer than one', async () => {
      hold();
      const started = Date.now();
      const responses = await Promise.all(Array.from({ length: 10 }, () => create().then(responseOf)));
      expect(Date.now() - started).to.be.below(rejectedWithinMs);
      for (const response of responses) expect(response).to.deep.equal(storeUnavailable());
      release();
      expect((await request(service).get('/v1/pets')).body).to.have.lengthOf(1);
    });

    it('does not delay reads', async () => {
      hold();
      let isRejected = false;
      const creation = create().then((response) => {
        isRejected = true;
        return response.status;
      });
      for (let round = 0; round < 5; round += 1) {
        await request(service).get('/v1/pets').expect(200);
        await request(service).get('/v1/pets/1').expect(200);
      }
      expect(isRejected).to.equal(false);
      release();
      expect(await creation).to.equal(201);
    });

    it('does not affect a write that gets the lock in time', async () => {
      hold();
      const creation = create().then(responseOf);
      // A response to a read shows that the creation, sent before, has arrived and is waiting.
      await request(service).get('/v1/pets').expect(200);
      release();
      expect((await creation).body).to.deep.equal({ id: 2, name: 'Mia', categoryId: 7, status: 'available' });
      expect(service.reported).to.deep.equal([]);
    });
  });
});
