import { expect } from 'chai';
import { bodyOf, type Client, useConduit } from './support/conduit.js';

describe('profiles', () => {
  const conduit = useConduit();
  let ada: Client;
  let grace: Client;
  beforeEach(async () => {
    ada = await conduit.createUser('ada');
    grace = await conduit.createUser('grace');
  });
  const profile = { username: 'ada', bio: null, image: null };
  const following = { profile: { ...profile, following: true } };
  const notFollowing = { profile: { ...profile, following: false } };
  const notFound = { errors: { profile: ['not found'] } };

  it('getProfile returns 200 for anyone, and whether the caller follows the user', async () => {
    await ada.put('/user', { user: { bio: 'I count.', image: '/ada.png' } }).expect(200);
    const shown = { username: 'ada', bio: 'I count.', image: '/ada.png', following: false };
    await conduit.anonymous.get('/profiles/ada').expect(200, { profile: shown });
    await grace.get('/profiles/ada').expect(200, { profile: shown });
    await grace.post('/profiles/ada/follow').expect(200);
    await grace.get('/profiles/ada').expect(200, { profile: { ...shown, following: true } });
    await ada.get('/profiles/ada').expect(200, { profile: shown });
  });

  it('getProfile treats a client with an invalid token as anonymous', async () => {
    await conduit.clientOf('', 'x.y.z').get('/profiles/ada').expect(200, notFollowing);
  });

  it('getProfile returns 404 for an unknown username', async () => {
    await conduit.anonymous.get('/profiles/nobody').expect(404, notFound);
  });

  it('finds users whose names have any characters', async () => {
    await conduit.createUser('Ada / Lovelace?');
    const path = `/profiles/${encodeURIComponent('Ada / Lovelace?')}`;
    const { profile: found } = await bodyOf(conduit.anonymous.get(path).expect(200));
    expect(found.username).to.equal('Ada / Lovelace?');
  });

  it('followUser and unfollowUser return 200 with the profile, also if nothing changes', async () => {
    for (let time = 0; time < 2; time += 1) await grace.post('/profiles/ada/follow').expect(200, following);
    for (let time = 0; time < 2; time += 1) await grace.delete('/profiles/ada/follow').expect(200, notFollowing);
  });

  it('followUser ignores a body', async () => {
    await grace.post('/profiles/ada/follow', { user: { email: 'ada@example.com' } }).expect(200, following);
  });

  it('followUser and unfollowUser return 401 without a token, and 404 for an unknown username', async () => {
    const missing = { errors: { token: ['is missing'] } };
    await conduit.anonymous.post('/profiles/nobody/follow').expect(401, missing);
    await conduit.anonymous.delete('/profiles/nobody/follow').expect(401, missing);
    await grace.post('/profiles/nobody/follow').expect(404, notFound);
    await grace.delete('/profiles/nobody/follow').expect(404, notFound);
  });
});
