CREATE TABLE toys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  weight bigint NOT NULL
);
