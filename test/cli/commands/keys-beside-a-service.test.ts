import { expect } from 'chai';
import type { KeyView } from '#src/cli/output/key-views.js';
import { petstoreJson } from '../../support/cli/command-line.js';
import { request } from '../../support/clients/request.js';
import { useNewService } from '../../support/servers/service.js';

type IssuedView = KeyView & { readonly token: string };

/** Maximum time until a revocation takes effect, in milliseconds. */
const promiseMs = 5000;

describe('petstore keys, while the service runs', () => {
  const service = useNewService();

  const keys = <T = KeyView>(...args: string[]): Promise<T> => petstoreJson<T>(['keys', ...args], service);
  const create = () => keys<IssuedView>('create', '--name', 'app', '--plan', 'free');
  const listPets = (token: string) => request(service, token).get('/v1/pets');

  it('issues a key that is valid immediately', async () => {
    const { token } = await create();
    await listPets(token).expect(200, []);
  });

  it('issues a successor that is valid immediately, as is the key itself', async () => {
    const old = await create();
    const { token } = await keys<IssuedView>('rotate', old.id);
    await listPets(token).expect(200);
    await listPets(old.token).expect(200);
  });

  it('revokes a key in use within 5 seconds', async () => {
    const { id, token } = await create();
    await listPets(token).expect(200);
    await keys('revoke', id);
    service.clock.now += promiseMs;
    await listPets(token).expect(401);
  });

  it('rejects a rotated key after its overlap', async () => {
    const old = await create();
    const { token } = await keys<IssuedView>('rotate', old.id, '--overlap', '1m');
    service.clock.now += 60_000 - 1;
    await listPets(old.token).expect(200);
    service.clock.now += 1;
    await listPets(old.token).expect(401);
    await listPets(token).expect(200);
  });

  it('lists the keys of the service, and when each was last used', async () => {
    const { id, token } = await create();
    await listPets(token).expect(200);
    const { directory, clock } = service;
    await service.close();
    const listed = await petstoreJson<KeyView[]>(['keys', 'list'], { directory, clock });
    expect(listed.map(({ name, lastUsedAt }) => [name, lastUsedAt])).to.deep.equal([
      ['test', null],
      ['app', '2026-11-20T12:00:00.000Z'],
    ]);
    expect(listed[1]?.id).to.equal(id);
  });
});
