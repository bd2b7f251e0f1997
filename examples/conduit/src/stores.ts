import type { SqliteDatabase, StoreDependencies } from 'contract-server/sqlite';
import { ArticleStore } from './articles/article-store.js';
import { CommentStore } from './comments/comment-store.js';
import { ProfileStore } from './profiles/profile-store.js';
import { UserStore } from './users/user-store.js';

/** What Conduit stores. */
export interface Stores {
  readonly users: UserStore;
  readonly profiles: ProfileStore;
  readonly articles: ArticleStore;
  readonly comments: CommentStore;
}

export function createStores(db: SqliteDatabase, { clock }: StoreDependencies): Stores {
  return {
    users: new UserStore(db),
    profiles: new ProfileStore(db),
    articles: new ArticleStore(db, clock),
    comments: new CommentStore(db, clock),
  };
}
