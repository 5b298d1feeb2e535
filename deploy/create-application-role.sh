#!/bin/sh
# Runs once in the new database: the server connects as a role without special rights (docs/operations.md).
set -eu
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=password="$(cat /run/secrets/application_password)" <<'SQL'
create role app_user login password :'password' nosuperuser nobypassrls nocreatedb nocreaterole;
SQL
