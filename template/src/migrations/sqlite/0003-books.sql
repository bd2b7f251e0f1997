-- AUTOINCREMENT: an id is never reused, not even that of the last book.
CREATE TABLE books (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  author TEXT NOT NULL
) STRICT;
