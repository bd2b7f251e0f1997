import type { Schema } from '../contract.js';
import { type ProfileRow, profileColumns, toProfile } from '../profiles/profile.js';

/** A row of `summaryColumns`. */
export type SummaryRow = Omit<Schema<'ArticleSummary'>, 'tagList' | 'favorited' | 'author'> &
  ProfileRow & {
    /** A JSON array. */
    readonly tagList: string;
    readonly favorited: 0 | 1;
  };

/** The columns of an article in lists, as `@viewerId` sees it, from the tables `articles a` and `users u`. */
export const summaryColumns = `
  a.slug, a.title, a.description, a.created_at AS createdAt, a.updated_at AS updatedAt,
  (SELECT json_group_array(tag ORDER BY tag) FROM article_tags WHERE article_id = a.id) AS tagList,
  EXISTS (SELECT 1 FROM favorites WHERE article_id = a.id AND user_id = @viewerId) AS favorited,
  (SELECT count(*) FROM favorites WHERE article_id = a.id) AS favoritesCount,
  ${profileColumns}`;

export const source = 'articles a JOIN users u ON u.id = a.author_id';

/** Turns a row into an article. Other columns stay; those that the contract does not declare are not sent. */
export function toArticle<Row extends SummaryRow>({ username, bio, image, following, ...article }: Row) {
  return {
    ...article,
    tagList: JSON.parse(article.tagList) as string[],
    favorited: article.favorited === 1,
    author: toProfile({ username, bio, image, following }),
  };
}

/** What selects the articles of a list. */
export interface ArticleFilters {
  readonly tag?: string | undefined;
  /** The username. */
  readonly author?: string | undefined;
  /** The username of a user whose favorites they are. */
  readonly favorited?: string | undefined;
  /** The id of a user who follows their authors. */
  readonly followerId?: string | undefined;
}

const conditions: Readonly<Record<keyof ArticleFilters, string>> = {
  tag: 'a.id IN (SELECT article_id FROM article_tags WHERE tag = @tag)',
  author: 'a.author_id = (SELECT id FROM users WHERE username = @author)',
  favorited: `a.id IN (
    SELECT article_id FROM favorites WHERE user_id = (SELECT id FROM users WHERE username = @favorited))`,
  followerId: 'a.author_id IN (SELECT followed_id FROM follows WHERE follower_id = @followerId)',
};

/** The condition for articles `a` that match all filters. The values are parameters of the statement. */
export function conditionOf(filters: ArticleFilters): string {
  const names = Object.keys(conditions) as (keyof ArticleFilters)[];
  const given = names.filter((name) => filters[name] !== undefined);
  return given.map((name) => conditions[name]).join(' AND ') || 'true';
}
