#!/usr/bin/env bash
# up.sh --nodes N [--enforcer open|closed] [--cnpg]: builds what is not built, starts what does not run, and waits
# until control plane, nodes and cluster DNS are ready; with --cnpg, until the database is.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/process.sh"
umask 077
usage() { echo "$1; hack/lab says how to call it" >&2; exit 64; }

count='' mode='' cnpg=no
while [ $# -gt 0 ]; do
  case $1 in
    --nodes) count=${2:-} ;;
    --enforcer) mode=${2:-} ;;
    --cnpg) cnpg=yes && shift && continue ;;
    *) usage "no option of up: $1" ;;
  esac
  shift 2 || usage "$1 needs a value"
done
[[ $count =~ ^[123]$ ]] || usage "--nodes is 1, 2 or 3"
[[ $mode =~ ^(open|closed|)$ ]] || usage "--enforcer is open or closed"

"$here/nodes/need.sh"
mkdir -p "$state"
exec 9>"$state/lock"
flock 9
mapfile -t names < <(seq -f node%g "$count")
if [ -e "$state/bin" ] && [ "${nodes[*]}" != "${names[*]}" ]; then
  echo "lab $id is up with ${#nodes[@]} nodes; take it down first: hack/lab down" >&2
  exit 1
fi
running=0
for part in "${parts[@]}"; do ! alive "$part" || running=$((running + 1)); done
[ $running -gt 0 ] || find "$state" -name '*.log' -delete
begin=$SECONDS
building=(postgres postgres-data core node addons)
[ $cnpg = no ] || building+=(operator instance)
"$here/build.sh" "${building[@]}"

start=$(date +%s%N)
now() { printf '%6.1f s  %s\n' "$((($(date +%s%N) - start) / 100000000))e-1" "$*"; }
echo "${names[*]}" >"$state/nodes"
. "$here/place.sh"
[ -z "$mode" ] && [ -e "$state/enforcer" ] || echo "${mode:-open}" >"$state/enforcer"
mkdir -p "$state/cluster" "$state/world"
"$here/postgres.sh" "$state/postgres" >/dev/null &
database=$!
(cd "$state/cluster" && "$here/nodes/credentials.sh")
"$here/nodes/network.sh"
. "$here/nodes/within.sh"
alive "$state/world/probe" || start "$state/world" probe nsenter --net="$run/net/world" -- \
  "$addons/probe" serve "$world:443" "$world:5432"
now "credentials and networks"

each_node() { # SCRIPT: on all nodes at once
  local name waiting=()
  for name in "${nodes[@]}"; do
    "$here/nodes/$1.sh" "$name" &
    waiting+=($!)
  done
  for name in "${waiting[@]}"; do wait "$name"; done
}
each_node runtime >/dev/null &
runtimes=$!
"$here/nodes/control.sh"
now "API server"
kubectl=("$core/kubectl" --kubeconfig="$state/cluster/admin.kubeconfig")
await "$state/cluster/kube-apiserver" 30 "${kubectl[@]}" get namespace kube-system
"${kubectl[@]}" apply --filename="$here/nodes/objects" >/dev/null
wait $runtimes
each_node kubelet
now "kubelet, kube-proxy and enforcer of each node"
"${kubectl[@]}" wait --for=condition=Ready node --all --timeout=60s >/dev/null
now "nodes ready"
"${kubectl[@]}" --namespace=kube-system rollout status deployment/coredns --timeout=60s >/dev/null
now "cluster DNS ready"
wait $database
"$here/tools.sh"
[ $cnpg = no ] || "$here/nodes/database.sh"
echo "lab $id is up with $count nodes, after $((SECONDS - begin)) s; in a shell: eval \"\$(hack/lab env)\""
