# shellcheck shell=bash disable=SC2154
# Ends the script where the lab has no nodes.
[ ${#nodes[@]} -gt 0 ] || { echo "lab $id has no nodes: hack/lab up --nodes 2" >&2; exit 1; }
