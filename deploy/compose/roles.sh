#!/bin/sh
# The image of PostgreSQL runs this once, as its superuser, when it has made an empty database: the owner, which migrates, and the
# role of the service, which can only read and write rows. Their passwords are those in the two addresses.
set -eu

password() {
  sed -E 's,^[a-z]+://[^:]*:([^@]*)@.*,\1,' "/run/secrets/$1"
}

psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" \
  --set=owner="$(password database-owner-url)" --set=service="$(password database-url)" <<'SQL'
CREATE ROLE stopwatch_owner LOGIN PASSWORD :'owner';
CREATE ROLE stopwatch LOGIN PASSWORD :'service';
ALTER DATABASE stopwatch OWNER TO stopwatch_owner;
SQL
