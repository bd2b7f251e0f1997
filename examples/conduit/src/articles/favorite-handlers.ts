import type { Handlers } from '../contract.js';
import type { Stores } from '../stores.js';

export function favoriteHandlers({ articles }: Stores) {
  return {
    favoriteArticle: async ({ path }, { caller }) => ({
      status: 200,
      body: { article: await articles.setFavorite(path.slug, caller.id, true) },
    }),
    unfavoriteArticle: async ({ path }, { caller }) => ({
      status: 200,
      body: { article: await articles.setFavorite(path.slug, caller.id, false) },
    }),
  } satisfies Partial<Handlers>;
}
