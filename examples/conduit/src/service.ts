import { createService } from 'contract-server';
import { apiReference } from 'contract-server/reference';
import { sqlite } from 'contract-server/sqlite';
import cors from 'cors';
import { articleHandlers } from './articles/article-handlers.js';
import { favoriteHandlers } from './articles/favorite-handlers.js';
import { commentHandlers } from './comments/comment-handlers.js';
import type { Contract } from './contract.js';
import { errorBody } from './errors.js';
import { profileHandlers } from './profiles/profile-handlers.js';
import { createStores } from './stores.js';
import { findUserId, parseTokenKey } from './users/tokens.js';
import { userHandlers } from './users/user-handlers.js';

/** The definition of Conduit: everything that it consists of. */
export const service = createService<Contract>()({
  name: 'conduit',
  contract: new URL('../spec/conduit.yaml', import.meta.url),
  settings: {
    tokenKey: {
      name: 'JWT_SECRET',
      required: true,
      secret: true,
      description:
        'Secret that signs the tokens, with 32 characters or more, such as the output of openssl rand -hex 32.',
      parse: parseTokenKey,
    },
  },
  stores: {
    migrations: new URL('../migrations/', import.meta.url),
    sqlite: sqlite(createStores),
  },
  security: {
    /** Also reads the user, so that every handler has it, and a token of a user who is gone is invalid. */
    token: async (token, { stores, settings, clock }) => {
      const id = await findUserId(token, settings.tokenKey, clock());
      return id === undefined ? undefined : stores.users.find(id);
    },
  },
  reference: apiReference(),
  errors: { body: errorBody },
  create: ({ stores, settings, clock }) => ({
    // Frontends run on any origin. They send tokens, not cookies, so none can use the login of another one.
    middleware: [cors()],
    handlers: {
      ...userHandlers(stores, settings.tokenKey, clock),
      ...profileHandlers(stores),
      ...articleHandlers(stores),
      ...favoriteHandlers(stores),
      ...commentHandlers(stores),
    },
    check: () => stores.users.find(''),
  }),
  commands: () => import('./commands.js'),
});
