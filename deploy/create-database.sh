#!/bin/sh
# Creates a database and the role that owns it, without other privileges. The image of PostgreSQL runs this script when
# it initializes its data directory.
set -eu

psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\getenv password PETSTORE_DB_PASSWORD
CREATE ROLE petstore LOGIN PASSWORD :'password';
CREATE DATABASE petstore OWNER petstore TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE petstore FROM PUBLIC;
SQL
