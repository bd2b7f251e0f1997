import type { Handlers } from '../contract.js';
import type { Stores } from '../stores.js';

export function articleHandlers({ articles }: Stores) {
  return {
    listArticles: async ({ query: { limit, offset, ...filters } }, { caller }) => ({
      status: 200,
      body: await articles.list({ limit, offset }, filters, caller?.id ?? null),
    }),
    getFeed: async ({ query }, { caller }) => ({
      status: 200,
      body: await articles.list(query, { followerId: caller.id }, caller.id),
    }),
    getArticle: async ({ path }, { caller }) => ({
      status: 200,
      body: { article: await articles.require(path.slug, caller?.id ?? null) },
    }),
    createArticle: async ({ body }, { caller }) => ({
      status: 201,
      body: { article: await articles.insert(caller.id, body.article) },
    }),
    updateArticle: async ({ path, body }, { caller }) => ({
      status: 200,
      body: { article: await articles.update(path.slug, caller.id, body.article) },
    }),
    deleteArticle: async ({ path }, { caller }) => {
      await articles.delete(path.slug, caller.id);
      return { status: 204 };
    },
    listTags: async () => ({ status: 200, body: { tags: await articles.listTags() } }),
  } satisfies Partial<Handlers>;
}
