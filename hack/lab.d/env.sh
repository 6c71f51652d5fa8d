#!/usr/bin/env bash
# env.sh: prints what a shell needs to use the lab, for eval.
set -euo pipefail
. "$(dirname "$0")/place.sh"

[ -d "$state/bin" ] || { echo "lab $id is not up: hack/lab up" >&2 && exit 1; }
cluster=$state/cluster server=$state/postgres
say() { printf 'export %s=%s\n' "$1" "${2@Q}"; }
say QL3_LAB_KUBECONFIG "$cluster/admin.kubeconfig"
say QL3_LAB_AUDIT_LOG "$cluster/audit.log"
login=postgres:$(<"$server/postgres.password")
say QL3_LAB_DSN "postgres://$login@127.0.0.1:$(<"$server/port")/qinglong?sslmode=require"
say QL3_LAB_PG_PORT "$(<"$server/port")"
say QL3_LAB_PG_CA "$server/ca.crt"
say QL3_LAB_PG_SERVERNAME postgres.ql3.test
say QL3_LAB_MIGRATION_PASSWORD_FILE "$server/ql3_migration.password"
say QL3_LAB_MAINTENANCE_PASSWORD_FILE "$server/ql3_ai_maintenance.password"
if [ ${#nodes[@]} -gt 0 ]; then
  say QL3_LAB_NODES "${nodes[*]}"
  . "$here/nodes/within.sh"
  say QL3_LAB_WORLD "$world"
fi
echo "export PATH=${state@Q}/bin:\"\$PATH\""
