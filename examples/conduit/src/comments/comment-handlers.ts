import type { Handlers } from '../contract.js';
import type { Stores } from '../stores.js';

export function commentHandlers({ comments }: Stores) {
  return {
    listComments: async ({ path }, { caller }) => ({
      status: 200,
      body: { comments: await comments.list(path.slug, caller?.id ?? null) },
    }),
    createComment: async ({ path, body }, { caller }) => ({
      status: 201,
      body: { comment: await comments.insert(path.slug, caller.id, body.comment.body) },
    }),
    deleteComment: async ({ path }, { caller }) => {
      await comments.delete(path.slug, path.id, caller.id);
      return { status: 204 };
    },
  } satisfies Partial<Handlers>;
}
