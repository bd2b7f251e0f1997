import { expect } from 'chai';
import { findUserId } from '#src/users/tokens.js';
import { bodyOf, tokenKey, useConduit } from './support/conduit.js';

const ada = { username: 'ada', email: 'ada@example.com', password: 'correct horse' };

describe('createUser', () => {
  const conduit = useConduit();
  const register = (user: object) => conduit.anonymous.post('/users', { user });

  it('returns 201 with the user and a token, without biography and image', async () => {
    const { token, ...user } = (await bodyOf(register(ada).expect(201))).user;
    expect(user).to.deep.equal({ username: 'ada', email: 'ada@example.com', bio: null, image: null });
    const { stores, clock } = conduit.service;
    const { id } = (await stores.users.findByEmail(ada.email)) ?? {};
    expect(await findUserId(token, tokenKey, clock.now)).to.equal(id);
  });

  it('returns 409 for a username or an email address of another user, whatever its case', async () => {
    await register(ada).expect(201);
    const taken = ['has already been taken'];
    await register({ ...ada, email: 'ada@elsewhere.example' }).expect(409, { errors: { username: taken } });
    await register({ ...ada, username: 'other' }).expect(409, { errors: { email: taken } });
    await register({ ...ada, username: 'other', email: 'ADA@example.com' }).expect(409, { errors: { email: taken } });
  });

  it('lets only one of several users register a name at the same time', async () => {
    const users = [1, 2, 3].map((number) => ({ ...ada, email: `ada${String(number)}@example.com` }));
    const statuses = await Promise.all(users.map(async (user) => (await register(user)).status));
    expect(statuses.sort()).to.deep.equal([201, 409, 409]);
  });

  for (const [what, user, errors] of [
    ['missing fields', {}, ['username', 'email', 'password'].map((name) => [name, ["can't be blank"]])],
    ['an empty username', { ...ada, username: '' }, [['username', ["can't be blank"]]]],
    ['a blank username', { ...ada, username: ' ' }, [['username', ["can't be blank"]]]],
    ['an empty email address', { ...ada, email: '' }, [['email', ["can't be blank"]]]],
    ['an invalid email address', { ...ada, email: 'ada' }, [['email', ['is invalid']]]],
    ['an empty password', { ...ada, password: '' }, [['password', ["can't be blank"]]]],
    ['a short password', { ...ada, password: 'short7c' }, [['password', ['must have at least 8 characters']]]],
    ['null', { ...ada, username: null }, [['username', ['must be a string']]]],
  ] as const)
    it(`returns 422 for ${what}`, async () => {
      await register(user).expect(422, { errors: Object.fromEntries(errors as [string, string[]][]) });
    });

  it('returns 422 for a body without a user, and for none', async () => {
    await conduit.anonymous.post('/users', {}).expect(422, { errors: { user: ["can't be blank"] } });
    await conduit.anonymous.post('/users').expect(422, { errors: { body: ["can't be blank"] } });
  });

  it('ignores fields that the contract does not declare', async () => {
    const extra = { ...ada, id: 'mine', bio: 'sent', passwordHash: 'mine' };
    const { user } = await bodyOf(register(extra).expect(201));
    expect(user.bio).to.equal(null);
    expect(await conduit.service.stores.users.find('mine')).to.equal(undefined);
  });
});
