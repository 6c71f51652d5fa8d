#!/usr/bin/env bash
# postgres-data-build.sh: a data folder with the roles and the database in it. Made once, in a second; every
# server starts as a copy of it.
set -euo pipefail
. "$(dirname "$0")/place.sh"
[ ! -d "$postgres_data" ] || exit 0
work=$(mktemp -d "$cache/postgres-data.XXXXXX")
trap 'rm -rf "$work"' EXIT

# No door is open in the template (a copy gets its own), and small WAL segments make less to copy.
"${demoted[@]}" "$postgres/bin/initdb" -D "$work/data" -U postgres --auth=reject --encoding=UTF8 --locale=C \
  --wal-segsize=1 --set timezone=GMT --set log_timezone=GMT --no-sync --no-instructions >/dev/null
"${demoted[@]}" "$postgres/bin/postgres" --single -j -F -c exit_on_error=on -c log_checkpoints=off \
  -D "$work/data" postgres <"$here/roles.sql" >/dev/null
mv "$work/data" "$postgres_data"
