import type { Handlers } from '../contract.js';
import type { Stores } from '../stores.js';

export function profileHandlers({ profiles }: Stores) {
  return {
    // Without a token, there is no caller.
    getProfile: async ({ path }, { caller }) => ({
      status: 200,
      body: { profile: await profiles.require(path.username, caller?.id ?? null) },
    }),
    followUser: async ({ path }, { caller }) => ({
      status: 200,
      body: { profile: await profiles.follow(path.username, caller.id) },
    }),
    unfollowUser: async ({ path }, { caller }) => ({
      status: 200,
      body: { profile: await profiles.unfollow(path.username, caller.id) },
    }),
  } satisfies Partial<Handlers>;
}
