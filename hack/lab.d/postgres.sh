#!/usr/bin/env bash
# postgres.sh DIR [plaintext | expired | wrong-name | standby PRIMARY]: starts a PostgreSQL of DIR's own on
# loopback and prints its pid and its port. Made anew in half a second; or, if DIR holds one, started as it is
# on the port it had. `kill -INT PID` stops it.
#
#   plaintext    speaks no TLS
#   expired      its certificate ended yesterday
#   wrong-name   its certificate is for elsewhere.ql3.test only
#   standby      a read-only copy that follows the server running in PRIMARY, a folder like DIR
#
# In DIR: data, postgres.log, ca.crt (what a client trusts), and ROLE.password of each role that may log in.
set -euo pipefail
. "$(dirname "$0")/place.sh"
. "$here/process.sh"
. "$here/certificates.sh"
dir=$(realpath -m "$1") kind=${2:-} primary=$(realpath -m "${3:-.}")
names=DNS:localhost,DNS:postgres.ql3.test,DNS:ql3-postgres-rw.qinglong3-system.svc,IP:127.0.0.1 until="10 years" ssl=on record=hostssl
case $kind in
  plaintext) ssl=off record=host ;;
  expired) until=yesterday ;;
  wrong-name) names=DNS:elsewhere.ql3.test ;;
  standby | "") ;;
  *) echo "no kind of server: $kind" >&2 && exit 64 ;;
esac
umask 077
mkdir -p "$dir"
cd "$dir"
as_postgres() { "${demoted[@]}" "$postgres/bin/$1" "${@:2}"; }

fill() {
  cp -a "$postgres_data" data.new
  for role in postgres ql3_migration ql3_ai_maintenance; do
    openssl rand -hex 24 >$role.password
    echo "ALTER ROLE $role PASSWORD '$(<$role.password)';"
  done | as_postgres postgres --single -F -c exit_on_error=on -c log_checkpoints=off -D data.new \
    postgres >/dev/null
}

copy() {
  cp "$primary"/*.password .
  PGPASSWORD=$(<postgres.password) PGSSLROOTCERT=$primary/ca.crt as_postgres pg_basebackup --pgdata=data.new \
    --dbname="host=127.0.0.1 port=$(<"$primary/port") user=postgres sslmode=verify-full" \
    --checkpoint=fast --write-recovery-conf --no-sync
}

if [ ! -d data ]; then
  rm -rf data.new
  free_port >port
  authority ca
  certificate server /CN=postgres serverAuth "$names" "10 days ago" "$until"
  if [ "$kind" = standby ]; then copy; else fill; fi
  printf "$record %s all 127.0.0.1/32 scram-sha-256\n" all replication >data.new/pg_hba.conf
  cat >>data.new/postgresql.conf <<CONF
listen_addresses = '127.0.0.1'
port = $(<port)
unix_socket_directories = ''
ssl = $ssl
ssl_cert_file = '$dir/server.crt'
ssl_key_file = '$dir/server.key'
shared_buffers = '32MB'
fsync = off
full_page_writes = off
log_line_prefix = '%m [%p] %q%u@%d '
CONF
  mv data.new data
fi
ready() { [ "$(sed -n '1p;8p' data/postmaster.pid | xargs)" = "$(pid ./postgres) ready" ]; }
if ! alive ./postgres; then
  # After a kill the children live on for a moment, and the lock file's pid until the machine has reaped it.
  for _ in {1..100}; do
    grep -qxF "$dir/data" < <(readlink /proc/[0-9]*/cwd) || { rm -f data/postmaster.pid && break; }
    sleep 0.05
  done
  start . postgres "${demoted[@]}" "$postgres/bin/postgres" -D "$dir/data"
fi
await ./postgres 60 ready
echo "$(pid ./postgres) $(<port)"
