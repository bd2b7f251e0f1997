import { expect } from 'chai';
import { SignJWT } from 'jose';
import { parseTokenKey, signToken } from '#src/users/tokens.js';
import { bodyOf, type Client, password, tokenKey, useConduit } from './support/conduit.js';

const day = 24 * 60 * 60 * 1000;

describe('the current user', () => {
  const conduit = useConduit();
  let ada: Client;
  beforeEach(async () => (ada = await conduit.createUser('ada')));

  const userOf = async (response: PromiseLike<{ readonly body: unknown }>) => {
    const { token, ...others } = (await bodyOf(response)).user;
    expect(token).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    return others;
  };
  const unchanged = { username: 'ada', email: 'ada@example.com', bio: null, image: null };

  describe('getCurrentUser', () => {
    it('returns 200 with the user and a new token, which is valid for 30 days', async () => {
      conduit.service.clock.now += day;
      const { token } = (await bodyOf(ada.get('/user').expect(200))).user;
      expect(await userOf(ada.get('/user'))).to.deep.equal(unchanged);
      const later = conduit.clientOf('ada', token);
      conduit.service.clock.now += 30 * day - 1000;
      await later.get('/user').expect(200);
      conduit.service.clock.now += 1000;
      await later.get('/user').expect(401, { errors: { token: ['is invalid'] } });
    });

    it('returns 401 without a token, and with one of another HTTP authentication scheme', async () => {
      const missing = { errors: { token: ['is missing'] } };
      const { headers } = await conduit.anonymous.get('/user').expect(401, missing);
      expect(headers).to.include({ 'www-authenticate': 'Token realm="Conduit"' });
      const bearer = `Bearer ${String(ada.token)}`;
      await conduit.anonymous.get('/user').set('Authorization', bearer).expect(401, missing);
    });

    it('returns 401 for a token that is no JWT, has another key, no expiry, or a user who is gone', async () => {
      const { now } = conduit.service.clock;
      const tokens = [
        'x.y.z',
        await signToken('id', parseTokenKey('another secret, which has 32 characters'), now),
        await new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject('id').sign(tokenKey),
        await signToken('gone', tokenKey, now),
      ];
      for (const token of tokens)
        await conduit
          .clientOf('', token)
          .get('/user')
          .expect(401, { errors: { token: ['is invalid'] } });
    });
  });

  describe('updateCurrentUser', () => {
    const update = (user: object) => ada.put('/user', { user });

    it('returns 200, and changes the fields that are sent', async () => {
      const changes = { username: 'countess', email: 'countess@example.com', bio: 'I count.', image: '/ada.png' };
      expect(await userOf(update({ bio: changes.bio }))).to.deep.equal({ ...unchanged, bio: changes.bio });
      expect(await userOf(update(changes))).to.deep.equal(changes);
      expect(await userOf(ada.get('/user'))).to.deep.equal(changes);
      expect(await userOf(update({}))).to.deep.equal(changes);
    });

    it('removes biography and image for null and for an empty text, and leaves them if they are absent', async () => {
      const set = { bio: 'I count.', image: '/ada.png' };
      for (const none of [null, '']) {
        await update(set).expect(200);
        expect(await userOf(update({ bio: none }))).to.deep.equal({ ...unchanged, image: set.image });
        expect(await userOf(update({ image: none }))).to.deep.equal(unchanged);
      }
    });

    it('changes the password', async () => {
      const login = (text: string) =>
        conduit.anonymous.post('/users/login', { user: { email: 'ada@example.com', password: text } });
      await update({ password: 'x'.repeat(64) }).expect(200);
      await login(password).expect(401);
      await login('x'.repeat(64)).expect(200);
    });

    it('returns 401 without a token', async () => {
      await conduit.anonymous.put('/user', { user: {} }).expect(401, { errors: { token: ['is missing'] } });
    });

    it('returns 409 for a username or an email address of another user, and changes nothing', async () => {
      await conduit.createUser('grace');
      const taken = ['has already been taken'];
      await update({ bio: 'New', username: 'grace' }).expect(409, { errors: { username: taken } });
      await update({ bio: 'New', email: 'grace@example.com' }).expect(409, { errors: { email: taken } });
      expect(await userOf(ada.get('/user'))).to.deep.equal(unchanged);
      expect(await userOf(update({ username: 'ada', email: 'ADA@example.com' }))).to.include({ username: 'ada' });
    });

    it('returns 422 for null and empty texts where a text is required, and for a short password', async () => {
      for (const name of ['username', 'email', 'password']) {
        await update({ [name]: null }).expect(422, { errors: { [name]: ['must be a string'] } });
        await update({ [name]: '' }).expect(422, { errors: { [name]: ["can't be blank"] } });
      }
      const short = { errors: { password: ['must have at least 8 characters'] } };
      await update({ password: 'short7c' }).expect(422, short);
    });
  });
});
