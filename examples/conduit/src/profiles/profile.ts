import type { Schema } from '../contract.js';

/** Who reads: the id of the user, or `null` for an anonymous client. */
export type ViewerId = string | null;

/** A row of `profileColumns`. SQLite has no booleans. */
export interface ProfileRow {
  readonly username: string;
  readonly bio: string | null;
  readonly image: string | null;
  readonly following: 0 | 1;
}

/** The profile of the user `u`, as `@viewerId` sees it. */
export const profileColumns = `u.username, u.bio, u.image,
  EXISTS (SELECT 1 FROM follows WHERE follower_id = @viewerId AND followed_id = u.id) AS following`;

export function toProfile({ username, bio, image, following }: ProfileRow): Schema<'Profile'> {
  return { username, bio, image, following: following === 1 };
}
