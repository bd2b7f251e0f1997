-- COLLATE "C" compares text byte by byte, independent of the language of the database.
CREATE TABLE books (
  id bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
  title text COLLATE "C" NOT NULL,
  author text COLLATE "C" NOT NULL
);
