# shellcheck shell=bash disable=SC2034
# Where the lab keeps things; every script beside it reads this first.

id=${QL3_LAB_ID:-ql3}
[[ $id =~ ^[a-z0-9][a-z0-9-]{0,30}$ ]] || { echo "QL3_LAB_ID is no name for a lab: $id" >&2; exit 64; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
state=${XDG_STATE_HOME:-$HOME/.local/state}/ql3-ops/lab/$id
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ql3-ops
parts=("$state"/cluster/{etcd,kube-apiserver} "$state/postgres/postgres") # each has a .pid and a .log

# A lab with nodes: their names stand in a file. What has a path in a program or a socket's short name is in `run`.
nodes=() run=/run/ql3-lab/$id
[ ! -e "$state/nodes" ] || read -r -a nodes <"$state/nodes"
if [ ${#nodes[@]} -gt 0 ]; then
  parts+=("$state"/cluster/{forward,kube-controller-manager,kube-scheduler} "$state/world/probe")
  for each in "${nodes[@]}"; do parts+=("$state/$each"/{containerd,kubelet,kube-proxy,enforcer}); done
fi

# What is built is keyed by what it is built from: a second clone builds nothing, an edit builds anew.
key() { cat "$@" | sha256sum | cut -c1-12; }
core=$cache/core-$(key "$here"/../cluster/{go.mod,go.sum,cmd/core/main.go})
node_programs=$cache/node-$(key "$here"/../cluster/{go.mod,go.sum,cmd/node/main.go})
addons=$cache/addons-$(key "$here"/../addons/{go.mod,go.sum,cmd/*/main.go} "$here/pack.sh")
operator=$cache/operator-$(key "$here"/../operator/{go.mod,go.sum} "$here"/{operator-build,pack}.sh)
instance=$cache/instance-$(key "$here"/{postgres-build,instance-build,pack}.sh)
postgres=$cache/postgres-18-$(key "$here/postgres-build.sh")
postgres_data=$cache/postgres-data-$(key "$here"/postgres{,-data}-build.sh "$here/roles.sql")

# PostgreSQL refuses to run as root, and nobody else may enter root's home: root's servers run as nobody, with
# the one capability that opens it. access(2) would ignore the capability without the secure bit.
demoted=()
[ "$(id -u)" != 0 ] || demoted=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups
  --securebits=+no_setuid_fixup --inh-caps=+dac_override --ambient-caps=+dac_override)
