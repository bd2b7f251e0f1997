import type { SqliteDatabase } from 'contract-server/sqlite';
import type { Schema } from '../contract.js';
import { conduitError } from '../errors.js';
import { type ProfileRow, profileColumns, toProfile, type ViewerId } from './profile.js';

type Row = ProfileRow & { readonly id: string };

interface Follow {
  readonly followerId: string;
  readonly followedId: string;
}

/** What users see of each other, and who follows whom. Each method throws an ApiError `profile_not_found`. */
export class ProfileStore {
  private readonly statements;

  constructor(private readonly db: SqliteDatabase) {
    this.statements = {
      find: db.prepare<[{ readonly username: string; readonly viewerId: ViewerId }], Row>(
        `SELECT u.id, ${profileColumns} FROM users u WHERE u.username = @username`,
      ),
      follow: db.prepare<[Follow]>('INSERT INTO follows VALUES (@followerId, @followedId) ON CONFLICT DO NOTHING'),
      unfollow: db.prepare<[Follow]>(
        'DELETE FROM follows WHERE follower_id = @followerId AND followed_id = @followedId',
      ),
    };
  }

  require(username: string, viewerId: ViewerId): Promise<Schema<'Profile'>> {
    return this.db.run(() => toProfile(this.requireRow(username, viewerId)));
  }

  /** Succeeds also if the user follows them already. */
  follow(username: string, followerId: string): Promise<Schema<'Profile'>> {
    return this.db.transaction(() => {
      const { id: followedId } = this.requireRow(username, followerId);
      this.statements.follow.run({ followerId, followedId });
      return toProfile(this.requireRow(username, followerId));
    });
  }

  /** Succeeds also if the user does not follow them. */
  unfollow(username: string, followerId: string): Promise<Schema<'Profile'>> {
    return this.db.transaction(() => {
      const { id: followedId } = this.requireRow(username, followerId);
      this.statements.unfollow.run({ followerId, followedId });
      return toProfile(this.requireRow(username, followerId));
    });
  }

  private requireRow(username: string, viewerId: ViewerId): Row {
    const row = this.statements.find.get({ username, viewerId });
    if (row === undefined) throw conduitError('profile_not_found');
    return row;
  }
}
