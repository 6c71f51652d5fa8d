#!/usr/bin/env bash
# down.sh [NODE]: ends what is left of every node, and removes nodes and networks; or ends one node as a power cut
# would: what it keeps on disk stays.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/process.sh"
. "$here/nodes/group.sh"
[ $# = 0 ] || nodes=("$1")
for node in "${nodes[@]}"; do
  end "$state/$node"/{kubelet,kube-proxy,enforcer,containerd}
  end_group "$node"
  rm -rf --one-file-system "${run:?}/$node" # its mounts ended with its last process
done
[ $# = 0 ] || exit 0

for node in "${nodes[@]}"; do rm -rf --one-file-system "${state:?}/$node"/{lib,log,tunables}; done
for namespace in "$run"/net/*; do ! mountpoint -q "$namespace" || umount "$namespace"; done
rm -rf --one-file-system "$run"
rmdir --ignore-fail-on-non-empty "${run%/*}"
