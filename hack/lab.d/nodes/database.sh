#!/usr/bin/env bash
# database.sh: CloudNativePG and its Cluster ql3-postgres: three instances of PostgreSQL 18, database qinglong, the
# roles of QingLong 3 with a Secret each. Waits until all three instances are ready.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
kubectl=("$core/kubectl" --kubeconfig="$state/cluster/admin.kubeconfig")
start=$(date +%s%N)
now() { printf '%6.1f s  %s\n' "$((($(date +%s%N) - start) / 100000000))e-1" "$*"; }

"$here/nodes/import.sh" "$operator/operator.tar" "$instance/instance.tar" >/dev/null
now "images of the operator and of PostgreSQL in every node"

# The release's manifest, but with images that are here and are never fetched; and with a whole core, for with a
# tenth the operator misses its own deadline to start. Applied by the server: the definitions are too long for an
# annotation.
sed -e 's|[^ ]*/cloudnative-pg:1.30.0|ql3.local/cloudnative-pg:1.30.0|' \
  -e 's/imagePullPolicy: Always/imagePullPolicy: Never/' -e '/limits:$/,/cpu:/s/cpu: 100m/cpu: 1/' \
  -e 's/failureThreshold: 6$/failureThreshold: 24/' "$operator/release.yaml" |
  "${kubectl[@]}" apply --server-side --filename=- >/dev/null
"${kubectl[@]}" --namespace=cnpg-system rollout status deployment/cnpg-controller-manager --timeout=180s >/dev/null
now "operator available"

# Volumes: folders of the nodes. One serves one claim, once; so there are some to spare. Local ones, for only
# those get the group that PostgreSQL runs as.
for name in "${nodes[@]}"; do
  for number in 1 2 3 4; do
    install -d -m 770 -o 26 -g 26 "$state/$name/lib/volumes/$number"
    sed "s/NODE/$name/g; s/NUMBER/$number/g" "$here/nodes/database/volume.yaml"
  done
done | "${kubectl[@]}" apply --filename=- >/dev/null
"${kubectl[@]}" apply --filename="$here/nodes/database/namespace.yaml" >/dev/null

# A password stays what it was.
database=("${kubectl[@]}" --namespace=qinglong3-system)
mapfile -t roles < <(sed -n 's/^CREATE ROLE \([a-z0-9_]*\).*/\1/p' "$here/roles.sql")
secret() { tr _ - <<<"ql3-postgres-${1#ql3_}-auth"; }
for role in "${roles[@]}"; do
  "${database[@]}" get secret "$(secret "$role")" >/dev/null 2>&1 ||
    sed "s/SECRET/$(secret "$role")/; s/ROLE/$role/; s/PASSWORD/$(openssl rand -hex 24)/" \
      "$here/nodes/database/secret.yaml" | "${kubectl[@]}" create --filename=- >/dev/null
done
{
  sed "s|IMAGE|$(<"$instance/name")|" "$here/nodes/database/cluster.yaml"
  for role in "${roles[@]}"; do
    [ "$role" = ql3_migration ] || # the owner, whom the first instance makes
      sed "s/SECRET/$(secret "$role")/; s/ROLE/$role/" "$here/nodes/database/role.yaml"
  done
} | "${kubectl[@]}" apply --filename=- >/dev/null
"${database[@]}" wait --for=condition=Ready cluster/ql3-postgres --timeout=300s >/dev/null
now "cluster ready, $("${database[@]}" get cluster ql3-postgres --output=jsonpath='{.status.readyInstances}') instances"
"${database[@]}" wait --for=jsonpath="{.status.managedRolesStatus.passwordStatus.${roles[-1]}.resourceVersion}" \
  cluster/ql3-postgres --timeout=60s >/dev/null
now "roles made"
