CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  username TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  bio TEXT,
  image TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE follows (
  follower_id TEXT NOT NULL REFERENCES users,
  followed_id TEXT NOT NULL REFERENCES users,
  PRIMARY KEY (follower_id, followed_id)
) STRICT, WITHOUT ROWID;

-- Times are ISO 8601 in UTC, as in responses. The order of the ids is that of creation.
CREATE TABLE articles (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  slug TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  body TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES users,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX articles_by_author ON articles (author_id, id);

CREATE TABLE article_tags (
  article_id INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (article_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX article_tags_by_tag ON article_tags (tag, article_id);

CREATE TABLE favorites (
  article_id INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users,
  PRIMARY KEY (article_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX favorites_by_user ON favorites (user_id, article_id);

CREATE TABLE comments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  article_id INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES users,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX comments_by_article ON comments (article_id, id);
