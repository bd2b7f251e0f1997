import { expect } from 'chai';
import { bodyOf, password, useConduit } from './support/conduit.js';

describe('login', () => {
  const conduit = useConduit();
  beforeEach(() => conduit.createUser('ada'));
  const login = (user: object) => conduit.anonymous.post('/users/login', { user });

  it('returns 200 with the user and a token that works', async () => {
    const { token, ...user } = (await bodyOf(login({ email: 'Ada@example.com', password }).expect(200))).user;
    expect(user).to.deep.equal({ username: 'ada', email: 'ada@example.com', bio: null, image: null });
    await conduit.clientOf('ada', token).get('/user').expect(200);
  });

  it('returns 401 for a wrong password and for an unknown email address', async () => {
    const error = { errors: { credentials: ['invalid'] } };
    await login({ email: 'ada@example.com', password: 'wrong' }).expect(401, error);
    await login({ email: 'nobody@example.com', password }).expect(401, error);
  });

  it('returns 422 without an email address or a password', async () => {
    await login({ email: '', password }).expect(422, { errors: { email: ["can't be blank"] } });
    await login({ email: 'ada@example.com', password: '' }).expect(422, { errors: { password: ["can't be blank"] } });
  });
});
