#!/usr/bin/env bash
# node.sh NAME COMMAND...: runs COMMAND in a node, as a program of it would run, or in the network of `control` or
# `world`.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/process.sh"
. "$here/nodes/running.sh"
[[ " control world ${nodes[*]} " = *" $1 "* ]] || { echo "no part of lab $id: $1" >&2; exit 66; }
room=(--net="$run/net/$1")
[ ! -e "$state/$1/containerd.pid" ] || room+=(--mount="/proc/$(pid "$state/$1/containerd")/ns/mnt")
exec nsenter "${room[@]}" -- "${@:2}"
