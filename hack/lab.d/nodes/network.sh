#!/usr/bin/env bash
# network.sh: makes the lab's network namespaces; leaves those that are there.
#
#   world     a bridge that all others are plugged into, 172.30.0.1; and the public host, 203.0.113.10
#   control   the API server
#   node1...  a node each; every Pod has a namespace of its own beside it, routed, not bridged
#
# Nothing leads to the machine's own network: world is everybody's way out, and does not forward.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/nodes/within.sh"

make() { # NAME
  [ ! -e "$run/net/$1" ] || return 1
  mkdir -p "$run/net"
  : >"$run/net/$1"
  unshare --net="$run/net/$1" ip link set lo up
}

plug() { # NAME ADDRESS
  within world ip link add "$1" type veth peer name eth0 netns "$run/net/$1"
  within world ip link set "$1" master bridge up
  within "$1" ip address add "$2/24" dev eth0
  within "$1" ip link set eth0 up
  within "$1" ip route add default via 172.30.0.1
}

if make world; then
  within world sysctl -qw net.ipv4.ip_forward=0
  within world ip link add bridge type bridge
  within world ip address add 172.30.0.1/24 dev bridge
  within world ip link set bridge up
  within world ip address add "$world/32" dev lo
fi
! make control || plug control "$control"
for node in "${nodes[@]}"; do
  make "$node" || continue
  plug "$node" "$(address "$node")"
  within "$node" sysctl -qw net.ipv4.ip_forward=1
done
for node in "${nodes[@]}"; do
  for other in world control "${nodes[@]}"; do
    [ "$node" = "$other" ] || within "$other" ip route replace "$(range "$node")" via "$(address "$node")"
  done
done
