import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { corruptDatabase, dropTable, forgetKeys, whileLocked } from '@contract-server/test-support/fault-injection.js';
import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { announcement } from '../support/contract/announcement.js';
import { createPet } from '../support/pets.js';
import { useNewService } from '../support/servers/service.js';

const internal = 'The server failed to process the request. Retry later.';
const unavailable = 'The storage is unavailable. Retry after the time in Retry-After.';
const storeUnavailable = apiError(503, 'store_unavailable', unavailable, { 'retry-after': '1' });
/** Maximum duration of a request that waits for a held lock, in milliseconds, with the delays of a busy machine. */
const rejectedWithinMs = 2500;

// The examples of the contract include the 500 and the 503 of every operation.
describe('a failing store', () => {
  const service = useNewService();
  beforeEach(() => createPet(service));

  const create = async () => responseOf(await request(service).post('/v1/pets').send({ name: 'Mia', categoryId: 7 }));
  const get = async (path: string) => responseOf(await request(service).get(path));
  const outages = () =>
    service.log.lines.flatMap(({ msg: kind, detail: message }) => (message === undefined ? [] : [{ kind, message }]));
  /** The outage that is reported once, however many requests fail. */
  const outageOf = (reason: string) => {
    const since = new Date(service.clock.now).toISOString();
    return { kind: 'storage outage', message: `petstore.db has been unavailable since ${since}: ${reason}.` };
  };

  it('with an unexpected error makes each operation that needs it return 500, whose cause only the operator sees', async () => {
    dropTable(service, 'pets');
    const error = apiError(500, 'internal_error', internal);
    for (const response of [await get('/v1/pets'), await get('/v1/pets?status=sold'), await create()])
      expect(response).to.deep.equal(error);
    const announced = apiError(500, 'internal_error', internal, announcement(service));
    expect(await get('/v1/pets/1')).to.deep.equal(announced);
    const { headers, text } = await request(service).get('/v1/pets').expect(500);
    for (const secret of ['no such table', 'Sqlite', 'at ', '.js', service.directory, service.token])
      expect(`${JSON.stringify(headers)}${text}`).not.to.include(secret);
    await request(service).head('/v1/pets').expect(500);
    expect(service.reported.map(String)).to.deep.equal(Array(6).fill('SqliteError: no such table: pets'));
    await request(service).get('/v1/store/orders').expect(501);
    await request(service).get('/v1/pets?limit=0').expect(400);
  });

  it('makes operations return 503, never 401, if the database file is damaged, and is reported once', async () => {
    await request(service).get('/v1/pets/1').expect(200);
    corruptDatabase(service);
    expect(await get('/v1/pets')).to.deep.equal(storeUnavailable);
    const outage = outageOf('database disk image is malformed (SQLITE_CORRUPT)');
    forgetKeys(service);
    for (const path of ['/v1/pets', '/v1/store/orders']) expect(await get(path)).to.deep.equal(storeUnavailable);
    expect(await create()).to.deep.equal(storeUnavailable);
    await request(service, null).get('/v1/pets').expect(401);
    expect(outages()).to.deep.equal([outage]);
  });

  it('with a locked database returns 503 to all writes within about a second, and is reported once', async () => {
    const started = Date.now();
    const responses = await whileLocked(service, () => Promise.all(Array.from({ length: 10 }, create)));
    expect(Date.now() - started).to.be.below(rejectedWithinMs);
    for (const response of responses) expect(response).to.deep.equal(storeUnavailable);
    expect(outages()).to.deep.equal([outageOf('database is locked (SQLITE_BUSY)')]);
    await createPet(service);
    expect((await request(service).get('/v1/pets')).body).to.have.lengthOf(2);
  });

  it('with a locked database delays no reads, and a write succeeds that gets the lock in time', async () => {
    let isDone = false;
    const { creation } = await whileLocked(service, async () => {
      const creation = create().finally(() => (isDone = true));
      for (let round = 0; round < 2; round += 1) await request(service).get('/v1/pets').expect(200);
      expect(isDone).to.equal(false);
      return { creation };
    });
    expect((await creation).body).to.deep.equal({ id: 2, name: 'Mia', categoryId: 7, status: 'available' });
    expect(service.reported).to.deep.equal([]);
  });
});
