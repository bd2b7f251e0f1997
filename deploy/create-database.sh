#!/bin/sh
# Run once, when PostgreSQL makes its data directory: a role that owns its database and has no other right.
set -eu

psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\getenv password PETSTORE_DB_PASSWORD
CREATE ROLE petstore LOGIN PASSWORD :'password';
CREATE DATABASE petstore OWNER petstore TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE petstore FROM PUBLIC;
SQL
