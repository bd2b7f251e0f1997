import type { Clock } from 'contract-server';
import type { SqliteDatabase } from 'contract-server/sqlite';
import type { Schema } from '../contract.js';
import { conduitError } from '../errors.js';
import { type ProfileRow, profileColumns, toProfile, type ViewerId } from '../profiles/profile.js';

type CommentRow = Omit<Schema<'Comment'>, 'author'> & ProfileRow;
interface StoredComment {
  readonly articleId: number;
  readonly authorId: string;
  readonly body: string;
  readonly now: string;
}

const source = 'comments c JOIN users u ON u.id = c.author_id';
const columns = `c.id, c.created_at AS createdAt, c.updated_at AS updatedAt, c.body, ${profileColumns}`;

/** The comments on articles. Each method throws an ApiError `article_not_found`. */
export class CommentStore {
  private readonly statements;

  constructor(
    private readonly db: SqliteDatabase,
    private readonly clock: Clock,
  ) {
    this.statements = {
      findArticle: db.prepare<[string], number>('SELECT id FROM articles WHERE slug = ?').pluck(),
      list: db.prepare<[{ readonly articleId: number; readonly viewerId: ViewerId }], CommentRow>(
        `SELECT ${columns} FROM ${source} WHERE c.article_id = @articleId ORDER BY c.id DESC`,
      ),
      find: db.prepare<[{ readonly id: number | bigint; readonly viewerId: ViewerId }], CommentRow>(
        `SELECT ${columns} FROM ${source} WHERE c.id = @id`,
      ),
      findAuthor: db
        .prepare<[id: number, articleId: number], string>(
          'SELECT author_id FROM comments WHERE id = ? AND article_id = ?',
        )
        .pluck(),
      insert: db.prepare<[StoredComment]>(
        `INSERT INTO comments (article_id, author_id, body, created_at, updated_at)
           VALUES (@articleId, @authorId, @body, @now, @now)`,
      ),
      delete: db.prepare<[number]>('DELETE FROM comments WHERE id = ?'),
    };
  }

  /** Returns the comments on an article, the newest first. */
  list(slug: string, viewerId: ViewerId): Promise<Schema<'Comment'>[]> {
    return this.db.run(() => {
      const articleId = this.requireArticle(slug);
      return this.statements.list.all({ articleId, viewerId }).map(toComment);
    });
  }

  insert(slug: string, authorId: string, body: string): Promise<Schema<'Comment'>> {
    return this.db.transaction(() => {
      const articleId = this.requireArticle(slug);
      const now = new Date(this.clock()).toISOString();
      const { lastInsertRowid: id } = this.statements.insert.run({ articleId, authorId, body, now });
      return toComment(this.statements.find.get({ id, viewerId: authorId }) as CommentRow);
    });
  }

  /** @throws ApiError `comment_not_found`, `comment_forbidden` */
  delete(slug: string, id: number, userId: string): Promise<void> {
    return this.db.transaction(() => {
      const authorId = this.statements.findAuthor.get(id, this.requireArticle(slug));
      if (authorId === undefined) throw conduitError('comment_not_found');
      if (authorId !== userId) throw conduitError('comment_forbidden');
      this.statements.delete.run(id);
    });
  }

  private requireArticle(slug: string): number {
    const id = this.statements.findArticle.get(slug);
    if (id === undefined) throw conduitError('article_not_found');
    return id;
  }
}

function toComment({ username, bio, image, following, ...comment }: CommentRow): Schema<'Comment'> {
  return { ...comment, author: toProfile({ username, bio, image, following }) };
}
