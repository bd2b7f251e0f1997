import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { StoreEvent } from '#src/lib/errors.js';
import { request } from '../support/clients/request.js';
import { announcement } from '../support/contract/announcement.js';
import { unknownPath } from '../support/contract/contract-requests.js';
import { apiError, type ComparableResponse, responseOf } from '../support/contract/response.js';
import { corruptDatabase, dropTable, forgetKeys, openBeside } from '../support/fault-injection.js';
import { createPet } from '../support/pets.js';
import { useNewService } from '../support/servers/service.js';

type Headers = Readonly<Record<string, string>>;

const internalError = (headers?: Headers) =>
  apiError(500, 'internal_error', 'The server failed to process the request. Retry later.', headers);
const unavailable = 'The storage is unavailable. Retry after the time in Retry-After.';
const storeUnavailable = (headers?: Headers) =>
  apiError(503, 'store_unavailable', unavailable, { 'retry-after': '1', ...headers });
/** Maximum duration of a request that waits for a held lock, in milliseconds, with the delays of a busy machine. */
const rejectedWithinMs = 2500;

describe('a failing store', () => {
  const service = useNewService();
  beforeEach(() => createPet(service));

  const create = async () => responseOf(await request(service).post('/v1/pets').send({ name: 'Mia', categoryId: 7 }));
  const get = async (path: string) => responseOf(await request(service).get(path));
  const expectFromPets = async (error: (headers?: Headers) => ComparableResponse) => {
    for (const path of ['/v1/pets', '/v1/pets?status=sold']) expect(await get(path)).to.deep.equal(error());
    expect(await get('/v1/pets/1')).to.deep.equal(error(announcement(service)));
  };
  const expectFromAll = async (error: (headers?: Headers) => ComparableResponse) => {
    await expectFromPets(error);
    expect(await create()).to.deep.equal(error());
    for (const path of ['/v1/store/orders', unknownPath]) expect(await get(path)).to.deep.equal(error());
    await request(service, null).get('/v1/pets').expect(401);
  };
  /** The outage that is reported once, however many requests fail. */
  const outageOf = (reason: string) => {
    const since = new Date(service.clock.now).toISOString();
    return new StoreEvent('storage outage', `petstore.db has been unavailable since ${since}: ${reason}.`);
  };

  it('with an unexpected error makes every operation that needs it return 500, and is reported to the operator only', async () => {
    dropTable(service, 'pets');
    await expectFromPets(internalError);
    expect(await create()).to.deep.equal(internalError());
    expect((await request(service).head('/v1/pets')).status).to.equal(500);
    expect(service.reported).to.have.lengthOf(5);
    await request(service).get('/v1/store/orders').expect(501);
    await request(service).get('/v1/pets?limit=0').expect(400);
    for (const error of service.reported) expect(String(error)).to.equal('SqliteError: no such table: pets');
    const response = await request(service).get('/v1/pets').expect(500);
    const shown = `${JSON.stringify(response.headers)}${response.text}`;
    for (const secret of ['no such table', 'Sqlite', 'at ', '.js', service.directory, service.token])
      expect(shown).not.to.include(secret);
  });

  it('makes every operation return 500, never 401, if keys cannot be looked up', async () => {
    dropTable(service, 'api_keys');
    forgetKeys(service);
    await expectFromAll(internalError);
  });

  it('makes every operation return 503, never 401, if the database file is damaged', async () => {
    await request(service).get('/v1/pets/1').expect(200);
    corruptDatabase(service);
    await expectFromPets(storeUnavailable);
    const outage = outageOf('database disk image is malformed (SQLITE_CORRUPT)');
    forgetKeys(service);
    await expectFromAll(storeUnavailable);
    expect(service.reported).to.deep.equal([outage]);
  });

  describe('with a locked database', () => {
    let lock: Database.Database;
    beforeEach(() => {
      lock = openBeside(service);
      lock.exec('BEGIN IMMEDIATE');
    });
    afterEach(() => lock.close());

    it('returns 503 to all writes within about a second, and is reported once', async () => {
      const started = Date.now();
      const responses = await Promise.all(Array.from({ length: 10 }, create));
      expect(Date.now() - started).to.be.below(rejectedWithinMs);
      for (const response of responses) expect(response).to.deep.equal(storeUnavailable());
      expect(service.reported).to.deep.equal([outageOf('database is locked (SQLITE_BUSY)')]);
      lock.close();
      await createPet(service);
      expect((await request(service).get('/v1/pets')).body).to.have.lengthOf(2);
    });

    it('does not delay reads, nor affect a write that gets the lock in time', async () => {
      let isDone = false;
      const creation = create().finally(() => (isDone = true));
      for (let round = 0; round < 5; round += 1) {
        await request(service).get('/v1/pets').expect(200);
        await request(service).get('/v1/pets/1').expect(200);
      }
      expect(isDone).to.equal(false);
      lock.close();
      expect((await creation).body).to.deep.equal({ id: 2, name: 'Mia', categoryId: 7, status: 'available' });
      expect(service.reported).to.deep.equal([]);
    });
  });
});
