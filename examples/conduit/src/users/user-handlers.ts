import type { KeyObject } from 'node:crypto';
import type { Clock } from 'contract-server';
import type { Handlers, Schema } from '../contract.js';
import { conduitError } from '../errors.js';
import type { Stores } from '../stores.js';
import { hashPassword, isPassword } from './password.js';
import { signToken } from './tokens.js';
import type { User } from './user.js';

export function userHandlers({ users }: Stores, tokenKey: KeyObject, clock: Clock) {
  const withToken = async ({ id, email, username, bio, image }: User): Promise<{ readonly user: Schema<'User'> }> => ({
    user: { email, username, bio, image, token: await signToken(id, tokenKey, clock()) },
  });
  return {
    createUser: async ({ body }) => {
      const { email, username, password } = body.user;
      const user = await users.insert({ email, username, passwordHash: await hashPassword(password) });
      return { status: 201, body: await withToken(user) };
    },
    login: async ({ body }) => {
      const { email, password } = body.user;
      const user = await users.findByEmail(email);
      if (user === undefined || !(await isPassword(password, user.passwordHash))) throw conduitError('wrong_password');
      return { status: 200, body: await withToken(user) };
    },
    getCurrentUser: async (_request, { caller }) => ({ status: 200, body: await withToken(caller) }),
    updateCurrentUser: async ({ body }, { caller }) => {
      // A body can have fields that the contract does not declare, so each field is named.
      const { email, username, password, bio, image } = body.user;
      const passwordHash = password === undefined ? undefined : await hashPassword(password);
      const changes = { email, username, passwordHash, bio: orNull(bio), image: orNull(image) };
      return { status: 200, body: await withToken(await users.update(caller.id, changes)) };
    },
  } satisfies Partial<Handlers>;
}

/** An empty text is none. `undefined` stays: the field is absent. */
function orNull(text: string | null | undefined): string | null | undefined {
  return text === '' ? null : text;
}
