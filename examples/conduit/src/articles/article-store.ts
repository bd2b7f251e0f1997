import { randomBytes } from 'node:crypto';
import type { Clock } from 'contract-server';
import type { SqliteDatabase } from 'contract-server/sqlite';
import type { Schema } from '../contract.js';
import { conduitError } from '../errors.js';
import type { ViewerId } from '../profiles/profile.js';
import { type ArticleFilters, conditionOf, type SummaryRow, source, summaryColumns, toArticle } from './article-sql.js';
import { slugOf } from './slug.js';

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export interface ArticlePage {
  readonly articles: Schema<'ArticleSummary'>[];
  /** The number of articles in all pages. */
  readonly articlesCount: number;
}

type ArticleRow = SummaryRow & { readonly id: number; readonly authorId: string; readonly body: string };
type StoredText = Pick<ArticleRow, 'slug' | 'title' | 'description' | 'body'> & { readonly now: string };
interface Favorite {
  readonly articleId: number;
  readonly userId: string;
}

/** The articles with their tags and favorites. */
export class ArticleStore {
  private readonly statements;
  /** The statements of lists by their condition. */
  private readonly lists = new Map<string, ReturnType<typeof prepareList>>();

  constructor(
    private readonly db: SqliteDatabase,
    private readonly clock: Clock,
  ) {
    this.statements = {
      find: db.prepare<[{ readonly slug: string; readonly viewerId: ViewerId }], ArticleRow>(
        `SELECT a.id, a.author_id AS authorId, a.body, ${summaryColumns} FROM ${source} WHERE a.slug = @slug`,
      ),
      hasSlug: db.prepare<[string]>('SELECT 1 FROM articles WHERE slug = ?'),
      insert: db.prepare<[StoredText & { readonly authorId: string }]>(
        `INSERT INTO articles (slug, title, description, body, author_id, created_at, updated_at)
           VALUES (@slug, @title, @description, @body, @authorId, @now, @now)`,
      ),
      update: db.prepare<[StoredText & { readonly id: number }]>(
        `UPDATE articles SET slug = @slug, title = @title, description = @description, body = @body, updated_at = @now
           WHERE id = @id`,
      ),
      delete: db.prepare<[number]>('DELETE FROM articles WHERE id = ?'),
      addTag: db.prepare<[number | bigint, string]>('INSERT INTO article_tags VALUES (?, ?) ON CONFLICT DO NOTHING'),
      deleteTags: db.prepare<[number]>('DELETE FROM article_tags WHERE article_id = ?'),
      tags: db.prepare<[], string>('SELECT tag FROM article_tags GROUP BY tag ORDER BY count(*) DESC, tag').pluck(),
      favorite: db.prepare<[Favorite]>('INSERT INTO favorites VALUES (@articleId, @userId) ON CONFLICT DO NOTHING'),
      unfavorite: db.prepare<[Favorite]>('DELETE FROM favorites WHERE article_id = @articleId AND user_id = @userId'),
    };
  }

  /** Returns a page of the articles that match all filters, the newest first. */
  list({ limit, offset }: Page, filters: ArticleFilters, viewerId: ViewerId): Promise<ArticlePage> {
    const { select, count } = this.prepareOnce(conditionOf(filters));
    return this.db.run(() => ({
      articles: select.all({ ...filters, limit, offset, viewerId }).map(toArticle),
      articlesCount: count.get(filters) ?? 0,
    }));
  }

  /** Returns the tags of all articles, the most frequent first. */
  listTags(): Promise<string[]> {
    return this.db.run(() => this.statements.tags.all());
  }

  /** @throws ApiError `article_not_found`, as do the methods below. */
  require(slug: string, viewerId: ViewerId): Promise<Schema<'Article'>> {
    return this.db.run(() => toArticle(this.requireRow(slug, viewerId)));
  }

  insert(
    authorId: string,
    { title, description, body, tagList = [] }: Schema<'NewArticle'>,
  ): Promise<Schema<'Article'>> {
    return this.db.transaction(() => {
      const slug = this.createSlug(title);
      const row = { slug, title, description, body, authorId, now: this.now() };
      const { lastInsertRowid } = this.statements.insert.run(row);
      this.addTags(lastInsertRowid, tagList);
      return toArticle(this.requireRow(slug, authorId));
    });
  }

  /** @throws ApiError `article_forbidden` */
  update(slug: string, userId: string, changes: Schema<'ArticleChanges'>): Promise<Schema<'Article'>> {
    return this.db.transaction(() => {
      const old = this.requireOwn(slug, userId);
      const { title = old.title, description = old.description, body = old.body, tagList } = changes;
      const newSlug = slugOf(title) === slugOf(old.title) ? slug : this.createSlug(title);
      this.statements.update.run({ id: old.id, slug: newSlug, title, description, body, now: this.now() });
      if (tagList !== undefined) {
        this.statements.deleteTags.run(old.id);
        this.addTags(old.id, tagList);
      }
      return toArticle(this.requireRow(newSlug, userId));
    });
  }

  /** Also deletes its comments. @throws ApiError `article_forbidden` */
  async delete(slug: string, userId: string): Promise<void> {
    await this.db.transaction(() => this.statements.delete.run(this.requireOwn(slug, userId).id));
  }

  /** Succeeds also if the article is, or is not, a favorite already. */
  setFavorite(slug: string, userId: string, isFavorite: boolean): Promise<Schema<'Article'>> {
    return this.db.transaction(() => {
      const { id: articleId } = this.requireRow(slug, userId);
      this.statements[isFavorite ? 'favorite' : 'unfavorite'].run({ articleId, userId });
      return toArticle(this.requireRow(slug, userId));
    });
  }

  /** There are as many conditions as combinations of filters. */
  private prepareOnce(condition: string) {
    const prepared = this.lists.get(condition) ?? prepareList(this.db, condition);
    this.lists.set(condition, prepared);
    return prepared;
  }

  private requireRow(slug: string, viewerId: ViewerId): ArticleRow {
    const row = this.statements.find.get({ slug, viewerId });
    if (row === undefined) throw conduitError('article_not_found');
    return row;
  }

  private requireOwn(slug: string, userId: string): ArticleRow {
    const row = this.requireRow(slug, userId);
    if (row.authorId !== userId) throw conduitError('article_forbidden');
    return row;
  }

  private addTags(articleId: number | bigint, tags: readonly string[]): void {
    for (const tag of tags) this.statements.addTag.run(articleId, tag);
  }

  /** A slug that no article has, in the transaction that stores it. `/articles/feed` is the feed. */
  private createSlug(title: string): string {
    const first = slugOf(title);
    let slug = first;
    while (slug === 'feed' || this.statements.hasSlug.get(slug) !== undefined)
      slug = `${first}-${randomBytes(3).toString('hex')}`;
    return slug;
  }

  private now(): string {
    return new Date(this.clock()).toISOString();
  }
}

function prepareList(db: SqliteDatabase, condition: string) {
  return {
    select: db.prepare<[object], SummaryRow>(
      `SELECT ${summaryColumns} FROM ${source} WHERE ${condition} ORDER BY a.id DESC LIMIT @limit OFFSET @offset`,
    ),
    count: db.prepare<[object], number>(`SELECT count(*) FROM articles a WHERE ${condition}`).pluck(),
  };
}
