#!/usr/bin/env bash
# enforcer.sh [open|closed [NODE]]: how every node, or one, treats a Pod that kube-router has not seen yet, in its
# first second. Without a word: says how they do, as their rules are.
#
#   open     as kube-router is: such a Pod may do everything
#   closed   such a Pod may do nothing, as with Calico and Cilium: two rules at the end, where packets come that
#            kube-router has no verdict for
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/nodes/within.sh"
. "$here/nodes/running.sh"
mode=${1:-}
[[ $mode =~ ^(open|closed|)$ ]] || { echo "the enforcer is open or closed, not $mode" >&2; exit 64; }
[ $# -lt 2 ] || nodes=("$2")

seen=closed
for node in "${nodes[@]}"; do
  for side in --source --destination; do
    rule=(FORWARD "$side" "$(range "$node")" --match conntrack --ctstate NEW --jump REJECT)
    there=closed
    within "$node" iptables --wait --check "${rule[@]}" 2>/dev/null || there=open
    case $there,$mode in
      open,closed) within "$node" iptables --wait --append "${rule[@]}" ;;
      closed,open) within "$node" iptables --wait --delete "${rule[@]}" ;;
      open,) seen=open ;;
    esac
  done
done
if [ -n "$mode" ]; then echo "$mode" >"$state/enforcer"; else echo $seen; fi
